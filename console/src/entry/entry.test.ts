import { describe, expect, test } from 'vitest';
import { toPlain } from '~/lib/money';
import type { AccountType } from '~/lib/signs';
import { directionWords, unusualReason } from './direction';
import { seriesDays } from './series';
import { completeLegs, EMPTY_LEG, remainder, type Leg } from './split';

const TYPES: AccountType[] = ['ASSET', 'LIABILITY', 'INCOMING', 'OUTGOING'];
const leg = (account: string, amount: string): Leg => ({ ...EMPTY_LEG, account, amount });

describe('direction', () => {
  const words = (from: AccountType, to: AccountType) => directionWords({ name: 'A', type: from }, { name: 'B', type: to });

  test('every pair of types has words of its own', () => {
    const all = TYPES.flatMap((from) => TYPES.map((to) => words(from, to)));
    expect(new Set(all).size).toBe(16);
  });

  test.each([
    ['ASSET', 'OUTGOING', 'Expense, paid from A'],
    ['INCOMING', 'ASSET', 'Income, paid into B'],
    ['ASSET', 'LIABILITY', 'Pays off B'],
  ] as const)('%s to %s: %s', (from, to, expected) => {
    expect(words(from, to)).toBe(expected);
  });

  test('leaving an expense and entering an income account is unusual', () => {
    const unusual = TYPES.flatMap((from) => TYPES.filter((to) => unusualReason({ name: '', type: from }, { name: '', type: to })).map((to) => `${from} ${to}`));
    expect(unusual).toEqual(['ASSET INCOMING', 'LIABILITY INCOMING', 'INCOMING INCOMING', 'OUTGOING ASSET', 'OUTGOING LIABILITY', 'OUTGOING INCOMING', 'OUTGOING OUTGOING']);
  });
});

describe('series', () => {
  test('months count from the first day', () => {
    expect(seriesDays('2026-10-31', { unit: 'month', every: 1, count: 3 })).toEqual(['2026-11-30', '2026-12-31', '2027-01-31']);
  });

  test.each([
    ['week', 2, ['2026-02-15', '2026-03-01']],
    ['month', 3, ['2026-05-01', '2026-08-01']],
    ['year', 1, ['2027-02-01', '2028-02-01']],
  ] as const)('every %s, %i', (unit, every, days) => {
    expect(seriesDays('2026-02-01', { unit, every, count: 2 })).toEqual(days);
  });

  test('there are 1 to 36, whatever was typed', () => {
    expect(seriesDays('2026-02-01', { unit: 'week', every: 1, count: 99 })).toHaveLength(36);
    expect(seriesDays('2026-02-01', { unit: 'week', every: 0, count: Number.NaN })).toEqual(['2026-02-08']);
  });

  test('29 February is followed by 28 February', () => {
    expect(seriesDays('2028-02-29', { unit: 'year', every: 1, count: 4 })).toEqual(['2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29']);
  });

  test('the end of the calendar ends a series', () => {
    expect(seriesDays('9999-11-30', { unit: 'month', every: 1, count: 3 })).toEqual(['9999-12-30']);
  });
});

describe('split', () => {
  test('the remainder is exact', () => {
    expect(toPlain(remainder('100.00', [leg('a', '33.33'), leg('b', '33.33')]))).toBe('33.34');
    expect(toPlain(remainder('10.00', [leg('a', '12.5')]))).toBe('-2.50');
    expect(toPlain(remainder('', [leg('a', '12.5')]))).toBe('0');
  });

  test('one leg without an amount takes the remainder, and empty legs are left out', () => {
    expect(completeLegs('100.00', [leg('a', '33.33'), leg('b', ''), EMPTY_LEG])).toEqual({ kind: 'legs', legs: [leg('a', '33.33'), leg('b', '66.67')] });
  });

  test('without an amount the legs decide', () => {
    expect(completeLegs('', [leg('a', '1'), leg('b', '2')])).toMatchObject({ kind: 'legs' });
  });

  test.each<[string, Leg[], RegExp]>([
    ['10', [], /at least one/],
    ['10', [leg('a', '4')], /add up/],
    ['10', [leg('a', ''), leg('b', '')], /no amount/],
    ['', [leg('a', '')], /no amount/],
    ['10', [leg('a', '10'), leg('b', '')], /above zero/],
    ['10', [leg('', '10')], /no account/],
  ])('an amount of %j with legs %j is refused', (amount, legs, message) => {
    expect(completeLegs(amount, legs)).toEqual({ kind: 'error', message: expect.stringMatching(message) as string });
  });
});
