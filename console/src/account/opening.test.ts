import { expect, test } from 'vitest';
import { parseDecimal } from '~/lib/money';
import { findOpeningAccount, hasOpening, openingAccountBody, openingTransaction } from './opening';

const sides = (credit: boolean, balance: string) => {
  const { creditAccount, debitAccount, amount } = openingTransaction({ account: { id: 'own', credit }, balance: parseDecimal(balance), date: '2026-01-01' }, 'opening');
  return [creditAccount?.id, debitAccount?.id, amount];
};

test('money of an asset comes from the opening balances, and debt of a liability goes there', () => {
  expect(sides(false, '120.50')).toEqual(['opening', 'own', '120.50']);
  expect(sides(true, '800')).toEqual(['own', 'opening', '800']);
});

test('an overdrawn asset and a liability in credit run the other way', () => {
  expect(sides(false, '-20')).toEqual(['own', 'opening', '20']);
  expect(sides(true, '-5')).toEqual(['opening', 'own', '5']);
});

test('the opening account is found by normalized name, or made in the equity group', () => {
  expect(findOpeningAccount([{ id: '1', normalizedName: 'cash' }, { id: '2', normalizedName: 'opening_balances' }])?.id).toBe('2');
  expect(openingAccountBody([{ id: '7', properties: { report: 'equity' } }])).toEqual({ name: 'Opening balances', type: 'LIABILITY', groups: [{ id: '7' }] });
  expect(openingAccountBody([])).toEqual({ name: 'Opening balances', type: 'LIABILITY' });
});

test('only permanent accounts other than the opening account have an opening balance', () => {
  expect(hasOpening({ permanent: true, normalizedName: 'cash' })).toBe(true);
  expect(hasOpening({ permanent: false, normalizedName: 'rent' })).toBe(false);
  expect(hasOpening({ permanent: true, normalizedName: 'opening_balances' })).toBe(false);
});
