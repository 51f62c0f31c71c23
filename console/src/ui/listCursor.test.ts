import { expect, test } from 'vitest';
import { placeOf } from './listCursor';

const place = (rows: string, key: string, index: number) => placeOf(key, index, rows.length, (at) => rows[at]!);

test('the cursor follows its row', () => {
  expect(place('abcd', 'c', 2)).toBe(2);
  expect(place('xabcd', 'c', 2)).toBe(3);
  expect(place('cd', 'c', 2)).toBe(0);
});

test('a row that is gone leaves its place to the next one, or to the last', () => {
  expect(place('abd', 'c', 2)).toBe(2);
  expect(place('ab', 'c', 2)).toBe(1);
  expect(place('', 'c', 2)).toBe(-1);
});

test('without a cursor there is none, and a search has an end', () => {
  expect(place('abc', '', -1)).toBe(-1);
  let calls = 0;
  expect(placeOf('no', 500_000, 1_000_000, () => { calls += 1; return 'row'; })).toBe(500_000);
  expect(calls).toBeLessThan(2100);
});
