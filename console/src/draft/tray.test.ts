import { expect, test } from 'vitest';
import type { Transaction } from '~/api/types';
import { isDue, missingFields, postable, trayQuery } from './tray';

const complete: Transaction = {
  id: '1', date: '2026-11-27', amount: '12.50', creditAccount: { id: 'c' }, debitAccount: { id: 'd' }, description: 'lunch', properties: { series: 's', a_: 'x' },
};

test('what is missing', () => {
  expect(missingFields(complete)).toEqual([]);
  expect(missingFields({ id: '2' })).toEqual(['date', 'from', 'to', 'amount']);
  expect(missingFields({ ...complete, debitAccount: null })).toEqual(['to']);
});

test.each([['2026-11-26', true], ['2026-11-27', true], ['2026-11-28', false], [undefined, true]])('a draft of %s is due: %s', (date, expected) => {
  expect(isDue({ id: '1', ...(date ? { date } : {}) }, '2026-11-27')).toBe(expected);
});

test('complete drafts can be posted, legs together or not at all', () => {
  const leg = (id: string, entry: string, rest: Partial<Transaction> = {}): Transaction => ({ ...complete, id, properties: { entry_id: entry }, ...rest });
  const rows = [
    complete, { ...complete, id: '2', amount: null }, { ...complete, id: '3', date: '2026-11-28' }, { ...complete, id: '4', date: '2026-10-31' },
    leg('5', 'whole'), leg('6', 'whole'), leg('7', 'open'), leg('8', 'open', { debitAccount: null }),
  ];
  expect(postable(rows, '2026-11-27', '2026-10-31').map(({ id }) => id)).toEqual(['1', '5', '6']);
});

test('each tray has a query for its drafts', () => {
  expect(trayQuery('', '')).toBe('is:draft -(after:$d+1)');
  expect(trayQuery('upcoming', 'rent')).toBe('is:draft after:$d+1 rent');
});
