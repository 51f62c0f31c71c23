import { expect, test } from 'vitest';
import type { Account } from '~/api/types';
import { parseDecimal, toPlain, ZERO } from '~/lib/money';
import type { Report } from '~/report/rows';
import { columnsOf } from './columns';
import { budgetRows, isAdverse, monthsOf, openRows } from './grid';

const line = (kind: string, depth: number, label: string, ids: object = {}, jan = '', feb = '') => ({ kind, depth, cells: [label, jan, feb, ''], ...ids });
const report = {
  columns: [{ key: 'account', kind: 'text' }, { key: '2026-01', kind: 'amount' }, { key: '2026-02', kind: 'amount' }, { key: 'total', kind: 'amount' }],
  rows: [
    line('section', 0, 'Income'), line('line', 0, 'Pay', { accountId: '2' }, '100.00', '100.00'), line('total', 0, 'Total income'),
    line('section', 0, 'Expenses'), line('group', 0, 'Living', { groupId: '7' }), line('line', 1, 'Food', { accountId: '1' }, '30.00', '0.00'), line('line', 1, 'Old', { accountId: '3' }, '0.00', '0.00'),
    line('subtotal', 0, 'Total Living'), line('group', 0, 'Empty', { groupId: '8' }), line('subtotal', 0, 'Total Empty'), line('total', 0, 'Total expenses'), line('result', 0, 'Result'),
  ],
} as unknown as Report;
const account = (id: string, normalizedName: string, rest: object = {}) => [id, { id, name: normalizedName, normalizedName, credit: false, permanent: false, ...rest } as unknown as Account] as const;
const accounts = new Map([account('1', 'food'), account('2', 'pay', { credit: true }), account('3', 'old', { archived: true })]);
const gifts = account('5', 'gifts')[1];
const cells = new Map(([['food 2026-01', '25'], ['food 2026-02', '25'], ['pay 2026-01', '110'], ['gifts 2026-02', '5']] as const).map(([key, value]) => [key, { value: parseDecimal(value), rows: [] }]));
const rows = budgetRows({ report, months: monthsOf(report), cells, accountById: accounts, budgetAccounts: [gifts] });

test('the tree has both figures for each month, and sums of groups, sections and the result', () => {
  const text = rows.map((row) => `${'  '.repeat(row.depth)}${row.name}: ${row.budget.map(toPlain).join(' ')} | ${row.actual.map(toPlain).join(' ')} | ${toPlain(row.budgetTotal)} ${toPlain(row.actualTotal)}`);
  expect(text).toEqual([
    'Income: 110 0 | 100.00 100.00 | 110 200.00',
    '  Pay: 110 0 | 100.00 100.00 | 110 200.00',
    'Expenses: 25 30 | 30.00 0.00 | 55 30.00',
    '  Living: 25 25 | 30.00 0.00 | 50 30.00',
    '    Food: 25 25 | 30.00 0.00 | 50 30.00',
    '  gifts: 0 5 | 0 0 | 5 0',
    'Result: 85 -30 | 70.00 100.00 | 55 170.00',
  ]);
  expect(rows.find(({ name }) => name === 'gifts')).toMatchObject({ accountId: undefined, isIncome: false });
});

test('closed groups hide what is below them', () => {
  expect(openRows(rows, new Set(['g7'])).map(({ name }) => name)).toEqual(['Income', 'Pay', 'Expenses', 'Living', 'gifts', 'Result']);
});

test('more expenses and less income are worse than planned', () => {
  expect([isAdverse(false, parseDecimal('5'), parseDecimal('6')), isAdverse(false, parseDecimal('6'), parseDecimal('6')), isAdverse(true, parseDecimal('5'), ZERO), isAdverse(true, ZERO, parseDecimal('5'))]).toEqual([true, false, true, false]);
});

test('one month has a column for each figure', () => {
  expect(columnsOf(['2026-03']).map(({ title }) => title)).toEqual(['Budget', 'Actual', 'Left']);
  expect(columnsOf(['2025-12', '2026-01']).map(({ title }) => title)).toEqual(['Dec 2025', 'Jan 2026', 'Total', 'Left']);
});

test('a group that repeats the name of its section has no line', () => {
  const echo = {
    columns: report.columns,
    rows: [line('section', 0, 'Expenses'), line('group', 0, 'Expenses', { groupId: '6' }), line('group', 1, 'Living', { groupId: '7' }), line('line', 2, 'Food', { accountId: '1' }, '30.00', '0.00'), line('subtotal', 1, ''), line('subtotal', 0, ''), line('total', 0, '')],
  } as unknown as Report;
  const names = (budgetAccounts: Account[]) => budgetRows({ report: echo, months: monthsOf(echo), cells, accountById: accounts, budgetAccounts }).map(({ name, depth }) => `${depth} ${name}`);
  expect(names([])).toEqual(['0 Expenses', '1 Living', '2 Food', '0 Result']);
  expect(names([gifts])).toEqual(['0 Expenses', '1 Expenses', '2 Living', '3 Food', '1 gifts', '0 Result']);
});
