import { expect, test } from 'vitest';
import { transactionsOf } from './actions';
import { emptyForm } from './store';

test('a form gives the same transactions until it is changed', () => {
  const form = { ...emptyForm('2026-03-01'), from: '1', amount: '10', split: 'to' as const };
  const legs = [{ account: '2', amount: '4', description: '' }, { account: '3', amount: '6', description: '' }];
  const first = transactionsOf(form, legs);
  expect(transactionsOf(form, legs)).toEqual(first);
  expect(first[0]!.properties!['entry_id']).toBe(first[1]!.properties!['entry_id']);
  const [changed] = transactionsOf({ ...form, description: 'rent' }, legs);
  expect(changed!.properties!['entry_id']).not.toBe(first[0]!.properties!['entry_id']);
});
