import { expect, test } from 'vitest';
import { formatInstant } from './instant';

const AT = Date.UTC(2026, 10, 27, 23, 5);

test('instants have the zone and the pattern of the book', () => {
  expect(formatInstant(AT, 'dd/MM/yyyy', 'UTC')).toBe('27/11/2026 23:05');
  expect(formatInstant(String(AT), 'yyyy/MM/dd', 'Asia/Tokyo')).toBe('2026/11/28 08:05');
});

test('text that is not an instant stays', () => {
  expect(formatInstant('2026-11-27', 'dd/MM/yyyy', 'UTC')).toBe('2026-11-27');
});
