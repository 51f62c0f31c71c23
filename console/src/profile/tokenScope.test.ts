import { expect, test } from 'vitest';
import { readDays, scopeOf } from './tokenScope';

const names = new Map([['1', 'Household'], ['2', 'Club'], ['3', 'Firm'], ['4', 'Budget']]);

test('lifetimes are whole days from 1 to 3650', () => {
  expect(readDays(' 30 ')).toBe(30);
  expect(readDays('3650')).toBe(3650);
  for (const text of ['', '0', '3651', '-1', '1.5', '1e3', 'a week']) expect(readDays(text)).toBeUndefined();
});

test('a scope names its books', () => {
  expect(scopeOf({ readOnly: false }, names)).toBe('reads and changes all books');
  expect(scopeOf({ readOnly: true, books: ['1'] }, names)).toBe('reads Household');
  expect(scopeOf({ readOnly: true, books: ['1', '2', '3', '4', '9'] }, names)).toBe('reads Household, Club, Firm, 2 more');
});

test('books that the caller does not see are counted', () => {
  expect(scopeOf({ readOnly: true, books: ['8'] }, names)).toBe('reads 1 book');
  expect(scopeOf({ readOnly: false, books: ['8', '9'] }, names)).toBe('reads and changes 2 books');
});
