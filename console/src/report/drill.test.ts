import { describe, expect, it } from 'vitest';
import { drillPath, type DrillContext } from './drill';
import type { ReportColumn, ReportRow, TreeRow } from './rows';

const context: DrillContext = {
  bookId: 'b', name: 'income-statement', from: '2026-07-01', until: '2026-09-30', query: '', compare: '', fiscalStart: 1, cashGroups: ['5'],
};
const column = (key: string, kind: ReportColumn['kind'] = 'amount'): ReportColumn => ({ key, label: key, kind });
const item = (rest: Partial<ReportRow>, section = ''): TreeRow => ({
  row: { kind: 'line', depth: 0, cells: ['Rent & heating'], ...rest }, groupKey: undefined, end: -1, section,
});
const path = (row: TreeRow, key: string, changes: Partial<DrillContext> = {}) => {
  const found = drillPath(row, column(key), { ...context, ...changes });
  return found && decodeURIComponent(found.replaceAll('+', ' '));
};
const rent = item({ accountId: '7' });

describe('the transactions behind a figure', () => {
  it('have the period of the column', () => {
    expect(path(rent, '2026-Q3')).toBe('/b/b/accounts/7?period=2026-Q3&q=-#closing');
    expect(path(rent, '2026-08')).toBe('/b/b/accounts/7?period=2026-08&q=-#closing');
    expect(path(rent, 'yearToDate')).toBe('/b/b/accounts/7?period=2026-01-01..2026-09-30&q=-#closing');
    expect(path(rent, 'comparison', { compare: '2025-Q3' })).toBe('/b/b/accounts/7?period=2025-Q3&q=-#closing');
    expect(path(rent, 'total')).toBe('/b/b/accounts/7?period=2026-Q3&q=-#closing');
  });

  it('have the hashtags of the query and of the column', () => {
    expect(path(rent, '#food', { query: '#home' })).toBe('/b/b/accounts/7?period=2026-Q3&q=#home #food -#closing');
  });

  it('of a balance begin with its fiscal year, so that the register opens with what was before', () => {
    const sheet = { name: 'balance-sheet', from: undefined, until: '2026-09-30' } as const;
    expect(path(rent, '2026-09-30', sheet)).toBe('/b/b/accounts/7?period=2026-01-01..2026-09-30');
    expect(path(rent, '2026-08-31', { ...sheet, fiscalStart: 4 })).toBe('/b/b/accounts/7?period=2026-04-01..2026-08-31');
    expect(path(rent, 'comparison', { ...sheet, compare: '2025' })).toBe('/b/b/accounts/7?period=2025-01-01..2025-12-31');
  });

  it('of a group, a section and the result have their own queries', () => {
    expect(path(item({ kind: 'subtotal', groupId: '3' }), '2026-Q3')).toBe('/b/b/groups/3?period=2026-Q3&q=-#closing');
    expect(path(item({ kind: 'total' }, 'Expenses'), '2026-Q3')).toBe('/b/b/transactions?period=2026-Q3&q=type:OUTGOING -#closing is:posted');
    expect(path(item({ kind: 'result' }, 'Expenses'), '2026-Q3')).toBe('/b/b/transactions?period=2026-Q3&q=(type:INCOMING OR type:OUTGOING) -#closing is:posted');
    expect(path(item({ kind: 'total' }, 'Equity'), '2026-Q3')).toBeUndefined();
  });

  it('of a cash flow touch a cash account', () => {
    const cash = { name: 'cash-flow' } as const;
    expect(path(rent, 'in', cash)).toBe('/b/b/transactions?period=2026-Q3&q=account:7 group:5 is:posted');
    expect(path(item({ groupId: '3' }), '2026-08', { ...cash, cashGroups: ['5', '6'] })).toBe('/b/b/transactions?period=2026-08&q=group:3 (group:5 OR group:6) is:posted');
  });

  it('of another book are found by name', () => {
    expect(path(rent, 'comparison', { compare: 'other' })).toBe("/b/other/transactions?period=2026-Q3&q=account:'Rent & heating' -#closing is:posted");
  });

  it('of a difference and a percentage do not exist', () => {
    expect(path(rent, 'difference')).toBeUndefined();
    expect(drillPath(rent, column('percent', 'percent'), context)).toBeUndefined();
  });
});
