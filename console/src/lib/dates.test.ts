import { describe, expect, test } from 'vitest';
import {
  addDays, addMonths, fiscalYearOf, formatDay, formatDayLong, makeDay, parsePeriod, periodLabel, periodTerms, readDay, stepPeriod, today,
} from './dates';

describe('calendar', () => {
  test('days that the calendar does not have are refused', () => {
    expect(makeDay(2025, 2, 29)).toBeUndefined();
    expect(makeDay(2024, 2, 29)).toBe('2024-02-29');
    expect(makeDay(1900, 2, 29)).toBeUndefined();
    expect(makeDay(2026, 13, 1)).toBeUndefined();
  });

  test('adding days and months crosses years', () => {
    expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
    expect(addDays('2026-03-01', -1)).toBe('2026-02-28');
    expect(addMonths('2026-01-31', 1)).toBe('2026-02-28');
    expect(addMonths('2026-01-15', -1)).toBe('2025-12-15');
  });

  test('today depends on the zone', () => {
    const instant = new Date('2026-01-01T02:00:00Z');
    expect(today('America/Sao_Paulo', instant)).toBe('2025-12-31');
    expect(today('Asia/Tokyo', instant)).toBe('2026-01-01');
    expect(today('No/Zone', instant)).toMatch(/^202[56]-/);
  });

  test('days have the pattern of the book', () => {
    expect(formatDay('2026-03-05', 'dd/MM/yyyy')).toBe('05/03/2026');
    expect(formatDay('2026-03-05', 'MM/dd/yyyy')).toBe('03/05/2026');
    expect(formatDay('2026-03-05', 'yyyy/MM/dd')).toBe('2026/03/05');
    expect(formatDayLong('2026-03-05')).toBe('Thu 5 Mar 2026');
  });
});

describe('date entry on Wednesday, 20 May 2026', () => {
  const now = '2026-05-20';
  test.each([
    ['t', '2026-05-20'],
    ['today', '2026-05-20'],
    ['y', '2026-05-19'],
    ['yest', '2026-05-19'],
    ['tom', '2026-05-21'],
    ['-3', '2026-05-17'],
    ['\u22123', '2026-05-17'],
    ['+10', '2026-05-30'],
    ['mon', '2026-05-18'],
    ['Wednesday', '2026-05-20'],
    ['th', '2026-05-14'],
    ['15', '2026-05-15'],
    ['31', '2026-05-31'],
    ['32', undefined],
    ['15/3', '2026-03-15'],
    ['15.3.', '2026-03-15'],
    ['15/3/25', '2025-03-15'],
    ['15-03-2025', '2025-03-15'],
    ['2025-3-1', '2025-03-01'],
    ['29/2', undefined],
    ['31/4/2026', undefined],
    ['', undefined],
    ['lunch', undefined],
  ])('%s', (typed, expected) => {
    expect(readDay(typed, 'dd/MM/yyyy', now)).toBe(expected);
  });

  test('the pattern decides about the order', () => {
    expect(readDay('3/5', 'MM/dd/yyyy', now)).toBe('2026-03-05');
    expect(readDay('3/5', 'yyyy/MM/dd', now)).toBe('2026-03-05');
    expect(readDay('25/3/5', 'yyyy/MM/dd', now)).toBe('2025-03-05');
  });
});

describe('periods', () => {
  test.each([
    ['2026', '2026-01-01', '2026-12-31', '2026', 'on:2026', '2027'],
    ['2026-12', '2026-12-01', '2026-12-31', 'December 2026', 'on:2026-12', '2027-01'],
    ['2026-Q4', '2026-10-01', '2026-12-31', 'Q4 2026', 'after:2026-10-01 before:2027-01-01', '2027-Q1'],
    ['2024-02-28', '2024-02-28', '2024-02-28', '28 Feb 2024', 'on:2024-02-28', '2024-02-29'],
    ['FY2026', '2026-04-01', '2027-03-31', 'FY 2026/27', 'after:2026-04-01 before:2027-04-01', 'FY2027'],
    ['2026-01-15..2026-01-24', '2026-01-15', '2026-01-24', '15 Jan – 24 Jan 2026', 'after:2026-01-15 before:2026-01-25', '2026-01-25..2026-02-03'],
    ['2026-01-01..2026-02-28', '2026-01-01', '2026-02-28', '1 Jan – 28 Feb 2026', 'after:2026-01-01 before:2026-03-01', '2026-03-01..2026-04-30'],
  ])('%s', (text, from, to, label, terms, next) => {
    const period = parsePeriod(text, 4)!;
    expect(period).toMatchObject({ from, to, text });
    expect(periodLabel(period)).toBe(label);
    expect(periodTerms(period)).toBe(terms);
    expect(stepPeriod(period, 1).text).toBe(next);
    expect(stepPeriod(stepPeriod(period, 1), -1)).toEqual(period);
  });

  test.each(['', '2026-13', '2026-Q5', '26', 'FY2026-01', '2026-02-30', '2026-03-01..2026-02-01'])('%s is not a period', (text) => {
    expect(parsePeriod(text)).toBeUndefined();
  });

  test('a fiscal year begins with its month', () => {
    expect(fiscalYearOf('2026-03-31', 4).text).toBe('FY2025');
    expect(fiscalYearOf('2026-04-01', 4).text).toBe('FY2026');
    expect(periodLabel(fiscalYearOf('2026-04-01', 1))).toBe('FY 2026');
  });
});
