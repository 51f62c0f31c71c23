import { expect, test } from 'vitest';
import { exportName, exportParameters } from './formats';

test('CSV for Excel is CSV with the decimals of the book', () => {
  expect(exportParameters('excel', 'account:1 on:2026')).toEqual({ format: 'csv', excel: true, query: 'account:1 on:2026' });
  expect(exportParameters('zip', '')).toEqual({ format: 'zip' });
});

test('names of files have no character that a system forbids', () => {
  expect(exportName('Club 2026/27: "main"', 'hledger')).toBe('Club 2026 27 main.journal');
  expect(exportName('..', 'csv')).toBe('Book.csv');
});
