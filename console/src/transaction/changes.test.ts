import { describe, expect, test } from 'vitest';
import type { Account, Transaction } from '~/api/types';
import { parseDecimal, toPlain } from '~/lib/money';
import { applyChange, changeOf, copiesOf, differingFields, duplicateOf, fieldsOf, fromRegister, inverseOf, registerAmount, reversalOf } from './changes';

const row: Transaction = {
  id: 't1', date: '2026-03-01', amount: '12.50', description: 'Lunch', posted: true, checked: false, trashed: false,
  creditAccount: { id: '1', name: 'Cash' }, debitAccount: { id: '2', name: 'Food' },
  properties: { shop: 'Da Nino', sync_: 'x' }, remoteIds: ['r'], urls: ['https://example.com/'], files: [{ id: 'f', name: 'a.pdf' }],
} as Transaction;

describe('an update', () => {
  test('has only the fields that differ', () => {
    const fields = fieldsOf(row);
    expect(changeOf(row, fields)).toEqual({});
    expect(changeOf(row, { ...fields, amount: parseDecimal('12.5') })).toEqual({});
    expect(changeOf(row, { ...fields, description: ' Dinner ', to: '3', amount: parseDecimal('20') }))
      .toEqual({ description: 'Dinner', debitAccount: { id: '3' }, amount: '20' });
    expect(changeOf(row, { ...fields, date: '', amount: undefined, from: '' })).toEqual({ date: null, amount: null, creditAccount: null });
  });

  test('is restored by its inverse', () => {
    expect(inverseOf(row, { date: '2026-04-01', creditAccount: { id: '9' }, properties: { shop: '', place: 'Rome' }, files: [] }))
      .toEqual({ date: '2026-03-01', creditAccount: { id: '1' }, properties: { shop: 'Da Nino', place: '' }, files: [{ id: 'f' }] });
  });

  test('is shown with the names of the accounts', () => {
    const shown = applyChange(row, { debitAccount: { id: '3' }, properties: { a: 'b' } }, (id) => ({ id, name: 'Rent' }) as Account);
    expect(shown.debitAccount?.name).toBe('Rent');
    expect(shown.creditAccount?.name).toBe('Cash');
    expect(shown.properties).toMatchObject({ shop: 'Da Nino', a: 'b' });
  });
});

describe('a register', () => {
  const asset = { id: '1', credit: false } as Account;
  const liability = { id: '1', credit: true } as Account;
  test.each([
    [asset, '-12.50', '1', '2'], [asset, '12.50', '2', '1'], [liability, '12.50', '1', '2'], [liability, '-12.50', '2', '1'],
  ])('the sign decides about the direction', (account, amount, from, to) => {
    const fields = fromRegister(fieldsOf(row), account, parseDecimal(amount), '2');
    expect([fields.from, fields.to, toPlain(fields.amount!)]).toEqual([from, to, '12.50']);
    expect(toPlain(registerAmount(fields, account)!)).toBe(amount);
  });
  test('a row without an amount keeps its side', () => {
    expect(fromRegister(fieldsOf(row), asset, undefined, '7')).toMatchObject({ from: '1', to: '7', amount: undefined });
  });
});

test('versions are compared by field', () => {
  const fields = fieldsOf(row);
  expect(differingFields(fields, { ...fields, amount: parseDecimal('12.500'), to: '4', date: '2026-01-01' })).toEqual(['date', 'to']);
});

test('a reversal swaps the accounts and names the original', () => {
  expect(reversalOf(row, '2026-05-01')).toEqual({
    date: '2026-05-01', amount: '12.50', description: 'Reversal: Lunch', creditAccount: { id: '2' }, debitAccount: { id: '1' },
    properties: { reverses: 't1' },
  });
});

test('a duplicate leaves files, remote ids, hidden properties and those of an import behind', () => {
  const copy = duplicateOf({ ...row, properties: { ...row.properties, entry_id: 'old', import_run: '7', source: 'a.csv:2', postings: 'x', entry_date: '2026-01-01', series: 's', transfer_to_book: 'b' } }, '2026-05-01', 'new');
  expect(copy).toEqual({
    date: '2026-05-01', amount: '12.50', description: 'Lunch', creditAccount: { id: '1' }, debitAccount: { id: '2' },
    urls: ['https://example.com/'], properties: { shop: 'Da Nino', entry_id: 'new' }, draft: false,
  });
});

test('copies of an entry share an id of the request, which a repetition has too', () => {
  const leg = (id: string, entry?: string): Transaction => ({ ...row, id, properties: entry ? { entry_id: entry } : {} });
  const rows = [leg('1', 'a'), leg('2', 'b'), leg('3', 'a'), leg('4')];
  const ids = copiesOf(rows, '2026-05-01', 'key', reversalOf).map(({ properties }) => properties?.['entry_id']);
  expect(ids).toEqual(['key-1', 'key-2', 'key-1', undefined]);
});
