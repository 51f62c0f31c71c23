import { expect, test } from 'vitest';
import type { AccountBalances } from '~/api/types';
import { parsePeriod } from '~/lib/dates';
import { readCourse, sliceOf } from './course';

const slice = (year: number, month: number, day: number, cumulativeBalance: string, periodBalance = '0') => ({
  year, month, day, fuzzyDate: year * 10_000 + month * 100 + day,
  cumulativeBalance, cumulativeCredit: '0', cumulativeDebit: '0',
  periodBalance, periodCredit: periodBalance.startsWith('-') ? '0' : periodBalance, periodDebit: periodBalance.startsWith('-') ? periodBalance.slice(1) : '0',
});
const account = (balances: ReturnType<typeof slice>[], rest: Partial<AccountBalances> = {}) =>
  ({ permanent: true, credit: false, balances, ...rest }) as AccountBalances;

test('a quarter is divided into days, a year and the whole book into months', () => {
  expect(sliceOf(parsePeriod('2026-Q3'))).toBe('by:d');
  expect(sliceOf(parsePeriod('2026'))).toBe('by:m');
  expect(sliceOf(undefined)).toBe('by:m');
});

test('balances stand at the end of their slices, in the sign that people expect', () => {
  const months = [slice(2026, 1, 0, '-120.50', '-120.50'), slice(2026, 2, 0, '-20', '100.50')];
  expect(readCourse(account(months), '2026-03-15')).toEqual({ days: ['2026-01-31', '2026-02-28'], values: [120.5, 20] });
  expect(readCourse(account(months, { credit: true }), '2026-03-15').values).toEqual([-120.5, -20]);
  expect(readCourse(account([slice(2026, 1, 5, '-1', '-1')]), '2026-03-15').days).toEqual(['2026-01-05']);
  expect(readCourse(account([slice(2024, 0, 0, '-1', '-1')]), '2026-03-15').days).toEqual(['2024-12-31']);
});

test('an account that is not permanent shows its movements', () => {
  const months = [slice(2026, 1, 0, '-10', '-10'), slice(2026, 2, 0, '-15', '-5')];
  expect(readCourse(account(months, { permanent: false }), '2026-02-28').values).toEqual([10, 5]);
});

test('the chart ends today, or with the last movement after it', () => {
  const year = [1, 2, 3, 4].map((month) => slice(2026, month, 0, '-10', month === 1 ? '-10' : '0'));
  expect(readCourse(account(year), '2026-02-10').days).toEqual(['2026-01-31', '2026-02-28']);
  expect(readCourse(account([...year.slice(0, 3), slice(2026, 4, 0, '-12', '-2')]), '2026-02-10').days).toHaveLength(4);
});
