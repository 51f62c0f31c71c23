import { describe, expect, test } from 'vitest';
import type { Transaction } from '~/api/types';
import { asDraft, isDue, missingFields, toFields, toLater, toUpdate } from './tray';

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

describe('updates', () => {
  test('give every field, empty ones as null', () => {
    expect(toUpdate('2', toFields({ id: '2', description: 'x' }))).toEqual({ id: '2', date: null, amount: null, creditAccount: null, debitAccount: null, description: 'x' });
  });

  test('of later ones carry over the changes alone, and never the date', () => {
    const before = toFields(complete);
    const later: Transaction = { ...complete, id: '9', date: '2026-12-27', description: 'other text' };
    expect(toLater(later, before, { ...before, amount: '13.00', date: '2026-11-30' })).toEqual({
      id: '9', date: '2026-12-27', amount: '13.00', creditAccount: { id: 'c' }, debitAccount: { id: 'd' }, description: 'other text',
    });
  });
});

test('a posted transaction becomes a draft with the same content', () => {
  expect(asDraft(complete)).toMatchObject({ date: '2026-11-27', amount: '12.50', draft: true, properties: { series: 's' } });
  expect(asDraft(complete).properties).not.toHaveProperty('a_');
});
