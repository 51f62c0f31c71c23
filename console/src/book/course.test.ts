import { expect, test } from 'vitest';
import { toPlain } from '~/lib/money';
import { monthLabel, monthsUpTo, readCourse, readTotals } from './course';

const columns = (...keys: string[]) => [{ key: 'account', kind: 'text' }, ...keys.map((key) => ({ key, kind: 'amount' }))];

test('net worth is assets minus liabilities, without equity', () => {
  const [first, second] = readCourse(
    {
      columns: columns('2026-01-31', '2026-02-28'),
      rows: [
        { kind: 'section', cells: ['Assets', '', ''] },
        { kind: 'total', cells: ['Total assets', '100.00', '150.00'] },
        { kind: 'total', cells: ['Total liabilities', '30.00', '20.00'] },
        { kind: 'total', cells: ['Total equity', '70.00', '130.00'] },
      ],
    },
    {
      columns: columns('2026-01', '2026-02', 'total'),
      rows: [
        { kind: 'total', cells: ['Total income', '90.00', '80.00', '170.00'] },
        { kind: 'total', cells: ['Total expenses', '20.00', '20.00', '40.00'] },
      ],
    },
  );
  expect(toPlain(first!.netWorth)).toBe('70.00');
  expect(toPlain(second!.netWorth)).toBe('130.00');
  expect(toPlain(second!.result)).toBe('60.00');
  expect(second!.day).toBe('2026-02-28');
});

test('a report without rows gives zeros', () => {
  expect(readCourse({ columns: columns('2026-01-31'), rows: [] }, {})[0]).toMatchObject({ month: '2026-01', income: { units: 0n }, netWorth: { units: 0n } });
});

test('the period has so many months up to the current one', () => {
  expect(monthsUpTo('2026-11-27', 12)).toBe('2025-12-01..2026-11-30');
  expect(monthLabel('2026-11-30')).toBe('Nov 2026');
});

test('a total is the first amount of its row, or zero', () => {
  const report = { columns: columns('balance'), rows: [{ kind: 'total', cells: ['Total assets', '12.30'] }] };
  expect(toPlain(readTotals(report, 'Total assets'))).toBe('12.30');
  expect(readTotals(report, 'Total liabilities').units).toBe(0n);
});
