import { expect, test } from 'vitest';
import { formatDistance, formatInstant } from './times';

test('instants are shown in the zone of the book', () => {
  expect(formatInstant('1795792055378', 'UTC')).toBe('27 Nov 2026, 15:07');
  expect(formatInstant('1795792055378', 'Asia/Tokyo')).toBe('28 Nov 2026, 00:07');
  expect(formatInstant('1795792055378', 'Nowhere/Town')).toMatch(/Nov 2026/);
});

test('absent and unreadable instants are empty', () => {
  expect(formatInstant(undefined)).toBe('');
  expect(formatInstant('soon')).toBe('');
  expect(formatDistance('')).toBe('');
});

test('distances have the largest unit that fits', () => {
  expect(formatDistance(1_000_000, 1_020_000)).toBe('just now');
  expect(formatDistance(1_000_000, 1_000_000 + 3 * 3_600_000)).toBe('3 hours ago');
  expect(formatDistance(1_000_000 + 12 * 86_400_000, 1_000_000)).toBe('in 12 days');
  expect(formatDistance(1_000_000, 1_000_000 + 60_000)).toBe('1 minute ago');
});
