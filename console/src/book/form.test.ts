import { expect, test } from 'vitest';
import { localeDefaults, nameError, toBody, toForm } from './form';

test('a form holds the settings of a book, and a body has the named fields only', () => {
  const form = toForm({ name: 'Household', properties: { currency: 'EUR' }, fractionDigits: 0, lockDate: '2026-03-31' });
  expect(form.currency).toBe('EUR');
  expect(form.fractionDigits).toBe('0');
  expect(toBody({ ...form, name: ' New ', lockDate: '' }, ['name', 'fractionDigits', 'lockDate', 'currency'])).toEqual({
    name: 'New', fractionDigits: 0, lockDate: '', properties: { currency: 'EUR' },
  });
});

test('new books take the formats of the browser', () => {
  expect(localeDefaults('de-DE', 'Europe/Berlin')).toEqual({ timeZone: 'Europe/Berlin', datePattern: 'dd/MM/yyyy', decimalSeparator: 'COMMA', currency: 'EUR' });
  expect(localeDefaults('en-US', 'America/New_York').datePattern).toBe('MM/dd/yyyy');
  expect(localeDefaults('ja-JP', 'Asia/Tokyo').datePattern).toBe('yyyy/MM/dd');
});

test('a name is required and has at most 255 characters', () => {
  expect(nameError('  ')).toBe('Give it a name');
  expect(nameError('x'.repeat(256))).toBeDefined();
  expect(nameError('Household')).toBeUndefined();
});
