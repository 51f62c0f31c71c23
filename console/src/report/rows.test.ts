import { describe, expect, it } from 'vitest';
import { buildTree, headSpans, shownColumns, visibleRows, type ReportColumn, type ReportRow } from './rows';

const row = (kind: ReportRow['kind'], depth: number, cells: string[], rest: Partial<ReportRow> = {}): ReportRow => ({ kind, depth, cells, ...rest });

const statement = [
  row('section', 0, ['Assets', '']),
  row('group', 0, ['Current', ''], { groupId: '1' }),
  row('group', 1, ['Banks', ''], { groupId: '2' }),
  row('line', 2, ['Checking', '10.00'], { accountId: '9' }),
  row('subtotal', 1, ['Total Banks', '10.00'], { groupId: '2' }),
  row('subtotal', 0, ['Total Current', '10.00'], { groupId: '1' }),
  row('total', 0, ['Total assets', '10.00']),
];

const names = (rows: ReturnType<typeof visibleRows>) => rows.map(({ cells }) => cells[0]);

describe('rows of a report', () => {
  it('groups end with their subtotals', () => {
    expect(buildTree(statement).map(({ end }) => end)).toEqual([-1, 5, 4, -1, -1, -1, -1]);
  });

  it('closed_group_shows_the_figures_of_its_subtotal', () => {
    const rows = visibleRows(buildTree(statement), new Set(['2']));
    expect(names(rows)).toEqual(['Assets', 'Current', 'Banks', 'Total Current', 'Total assets']);
    expect(rows[2]).toMatchObject({ cells: ['Banks', '10.00'], isOpen: false });
    expect(rows[1]).toMatchObject({ cells: ['Current', ''], isOpen: true });
  });

  it('accounts of the ledger end with their closing balance', () => {
    const ledger = [
      row('group', 0, ['', 'Cash', ''], { accountId: '1' }),
      row('balance', 1, ['2026-10-01', 'Opening balance', '5.00'], { accountId: '1' }),
      row('entry', 1, ['2026-10-02', 'Lunch', '3.00'], { transactionId: 't' }),
      row('subtotal', 1, ['', 'October 2026', '']),
      row('balance', 1, ['2026-10-31', 'Closing balance', '3.00'], { accountId: '1' }),
      row('group', 0, ['', 'Rent', ''], { accountId: '2' }),
      row('balance', 1, ['2026-10-01', 'Opening balance', '0.00'], { accountId: '2' }),
      row('balance', 1, ['2026-10-31', 'Closing balance', '0.00'], { accountId: '2' }),
    ];
    const tree = buildTree(ledger);
    expect(tree[0]!.end).toBe(4);
    expect(tree[5]!.end).toBe(7);
    expect(visibleRows(tree, new Set(['1', '2'])).map(({ cells }) => cells.slice(1))).toEqual([['Cash', '3.00'], ['Rent', '0.00']]);
  });

  it('a group without an end stays open', () => {
    const rows = visibleRows(buildTree(statement.slice(0, 4)), new Set(['2']));
    expect(rows).toHaveLength(4);
    expect(rows[2]!.isOpen).toBeUndefined();
  });

  it('ids and event numbers are not shown', () => {
    const column = (key: string): ReportColumn => ({ key, label: key, kind: 'text' });
    expect(shownColumns(['date', 'id', 'text', 'event'].map(column))).toEqual([0, 2]);
  });

  it('columns below one label share its cell', () => {
    const column = (label: string, over?: string): ReportColumn => ({ key: label, label, kind: 'amount', ...(over ? { over } : {}) });
    expect(headSpans([column('Account'), column('Debit', 'Opening'), column('Credit', 'Opening'), column('Debit', 'Closing')])).toEqual([
      { label: '', span: 1 }, { label: 'Opening', span: 2 }, { label: 'Closing', span: 1 },
    ]);
    expect(headSpans([column('Account')])).toBeUndefined();
  });
});
