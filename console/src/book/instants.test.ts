import { expect, test } from 'vitest';
import { instantAgo, instantDay } from './instants';

const book = { timeZone: 'UTC', datePattern: 'dd/MM/yyyy' } as const;
const at = (text: string) => String(Date.parse(text));
const now = Date.parse('2026-11-27T12:00:00Z');

test('an instant is a day in the zone and pattern of the book', () => {
  expect(instantDay(at('2026-11-27T23:30:00Z'), book)).toBe('27/11/2026');
  expect(instantDay(at('2026-11-27T23:30:00Z'), { ...book, timeZone: 'Europe/Berlin' })).toBe('28/11/2026');
  expect(instantDay(undefined, book)).toBe('');
});

test('recent instants are told by their age', () => {
  const ago = (text: string) => instantAgo(at(text), book, now);
  expect(ago('2026-11-27T11:59:40Z')).toBe('now');
  expect(ago('2026-11-27T11:15:00Z')).toBe('45 min ago');
  expect(ago('2026-11-27T08:59:00Z')).toBe('3 h ago');
  expect(ago('2026-11-26T23:00:00Z')).toBe('yesterday');
  expect(ago('2026-11-17T23:00:00Z')).toBe('10 days ago');
  expect(ago('2026-01-02T23:00:00Z')).toBe('02/01/2026');
});
