import { expect, test } from 'vitest';
import { parseDecimal, toPlain } from './money';
import { effect, fromRaw } from './signs';

test('raw balances of assets and expenses are negated', () => {
  // 5.4: credits of 630.69 and debits of 10776.00 give raw -10145.31
  expect(toPlain(fromRaw(parseDecimal('-10145.31'), false))).toBe('10145.31');
});

test('raw balances of liabilities and income stay', () => {
  expect(toPlain(fromRaw(parseDecimal('30'), true))).toBe('30');
});

test('a mixed group counts as debit nature', () => {
  expect(toPlain(fromRaw(parseDecimal('-70.00'), false))).toBe('70.00');
});

test.each([
  ['credit', false, '-12.50'], // cash is paid out
  ['debit', false, '12.50'], // food is bought
  ['credit', true, '12.50'], // a card is used
  ['debit', true, '-12.50'], // a card is paid back
] as const)('a %s on an account with credit=%s adds %s', (side, credit, expected) => {
  expect(toPlain(effect(parseDecimal('12.50'), side, credit))).toBe(expected);
});
