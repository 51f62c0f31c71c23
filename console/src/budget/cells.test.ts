import { expect, test } from 'vitest';
import type { Account, Transaction } from '~/api/types';
import { parseDecimal, toPlain } from '~/lib/money';
import { balanceAccountBody, cellKey, fillChanges, findBalanceAccount, planWrites, readCells, yearBack } from './cells';

const d = parseDecimal;
const food: Account = { id: '1', name: 'Food', normalizedName: 'food', type: 'OUTGOING', credit: false, permanent: false } as Account;
const pay: Account = { id: '2', name: 'Pay', normalizedName: 'pay', type: 'INCOMING', credit: true, permanent: false } as Account;
const balance: Account = { id: '9', name: 'Budget', normalizedName: 'budget', type: 'ASSET', credit: false, permanent: true, properties: { budget: 'balance' } } as unknown as Account;
const row = (id: string, from: Account, to: Account, amount: string, date = '2026-03-01'): Transaction => ({ id, date, amount, creditAccount: from, debitAccount: to });
const accountOf = (name: string) => ({ food, pay })[name];

test('a cell has the sign that people expect', () => {
  const cells = readCells([row('a', balance, food, '300.00'), row('b', pay, balance, '2000'), row('c', food, balance, '20.00'), { id: 'd', description: 'draft' }]);
  expect(toPlain(cells.get(cellKey('food', '2026-03'))!.value)).toBe('280.00');
  expect(toPlain(cells.get(cellKey('pay', '2026-03'))!.value)).toBe('2000');
  expect(cells.size).toBe(2);
});

test('an empty cell gets a transaction, on the side that its sign needs', () => {
  const change = (name: string, value: string) => planWrites(new Map(), [{ name, month: '2026-03', value: d(value) }], accountOf, '9').create[0];
  expect(change('food', '12.50')).toMatchObject({ date: '2026-03-01', amount: '12.50', creditAccount: { id: '9' }, debitAccount: { id: '1' }, remoteIds: ['budget:food:2026-03'] });
  expect(change('food', '-5')).toMatchObject({ amount: '5', creditAccount: { id: '1' }, debitAccount: { id: '9' } });
  expect(change('pay', '100')).toMatchObject({ creditAccount: { id: '2' }, debitAccount: { id: '9' } });
  expect(change('pay', '0')).toBeUndefined();
});

test('a full cell keeps one transaction', () => {
  const rows = [row('a', balance, food, '300.00'), row('b', balance, food, '50.00')];
  const writes = planWrites(readCells(rows), [{ name: 'food', month: '2026-03', value: d('400') }], accountOf, '9');
  expect(writes.create).toEqual([]);
  expect(writes.update).toEqual([{ before: rows[0], body: { id: 'a', amount: '400', creditAccount: { id: '9' }, debitAccount: { id: '1' } } }]);
  expect(writes.trash.map(({ id }) => id)).toEqual(['b']);
  const cleared = planWrites(readCells(rows), [{ name: 'food', month: '2026-03', value: d('0') }], accountOf, '9');
  expect(cleared.trash).toHaveLength(2);
});

test('a transaction between income and expense stays: it is in two cells', () => {
  const rows = [row('a', pay, food, '100.00'), row('b', balance, food, '10.00')];
  const writes = planWrites(readCells(rows), [{ name: 'food', month: '2026-03', value: d('150') }], accountOf, '9');
  expect(writes.update[0]!.body).toMatchObject({ id: 'b', amount: '50.00' });
  expect(writes.trash).toEqual([]);
});

test('the account of the other side is found by its property, and its name is free', () => {
  expect(findBalanceAccount([food, balance])).toBe(balance);
  expect(balanceAccountBody([food]).name).toBe('Budget');
  expect(balanceAccountBody([{ ...food, normalizedName: 'budget' }]).name).toBe('Budget balance');
});

test('the year before fills empty cells, or all', () => {
  const figures = new Map([[cellKey('food', '2025-03'), d('90')], [cellKey('food', '2025-04'), d('0')], [cellKey('pay', '2025-03'), d('7')]]);
  const cells = readCells([row('a', balance, food, '300.00')]);
  const fill = (onlyEmpty: boolean) => fillChanges(figures, cells, ['2026-03', '2026-04'], ['food', 'pay'], onlyEmpty).map(({ name, month, value }) => `${name} ${month} ${toPlain(value)}`);
  expect(fill(true)).toEqual(['pay 2026-03 7']);
  expect(fill(false)).toEqual(['food 2026-03 90', 'pay 2026-03 7']);
  expect(yearBack('2000-01')).toBe('1999-01');
});
