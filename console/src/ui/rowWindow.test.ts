import { expect, test } from 'vitest';
import { rowWindow, slotsOf } from './rowWindow';

test('a window covers the screen and some rows around it', () => {
  expect(rowWindow(0, 800, 26, 1_000_000)).toEqual({ first: 0, end: 40 });
  expect(rowWindow(26 * 500_000, 800, 26, 1_000_000)).toEqual({ first: 499_992, end: 500_040 });
});

test('a window ends with the rows', () => {
  expect(rowWindow(26 * 999_980, 800, 26, 1_000_000)).toEqual({ first: 999_972, end: 1_000_000 });
  expect(rowWindow(0, 800, 26, 3)).toEqual({ first: 0, end: 3 });
  expect(rowWindow(5000, 800, 26, 0)).toEqual({ first: 0, end: 0 });
});

test('no window has more rows than slots', () => {
  for (let top = 0; top < 3000; top += 1) {
    const { first, end } = rowWindow(top, 777, 26, 10_000);
    expect(end - first).toBeLessThanOrEqual(slotsOf(777, 26));
  }
});
