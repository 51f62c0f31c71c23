import { describe, expect, test } from 'vitest';
import { appendRule, lineOf, patternOf, rangeOfLine, ruleFor, rulesFromTable } from './rules';

test.each([
  ['REWE SAGT DANKE 44120 BERLIN', 'rewe sagt danke'],
  ['PAYPAL *NETFLIX 402-935-7733', 'paypal netflix'],
  ['Bolt & Nut', 'bolt'],
  ['CARD 1234', 'card'],
  ['2026-03-01 12.50', ''],
  ['Café Zoë #food', 'café zoë'],
])('records like %s have the words %s', (description, pattern) => {
  expect(patternOf(description)).toBe(pattern);
});

describe('rules', () => {
  test('a rule takes special characters as they are', () => {
    expect(ruleFor('amazon.de 123', 'Household')).toBe('if amazon\\.de\n  account2 Household\n');
    expect(ruleFor('12345', 'Food')).toBe('');
  });

  test('a rule is added once, at the end', () => {
    const once = appendRule('skip 1\n', ruleFor('rewe', 'Food'));
    expect(once).toBe('skip 1\n\nif rewe\n  account2 Food\n');
    expect(appendRule(once, ruleFor('rewe', 'Food'))).toBe(once);
    expect(appendRule('', ruleFor('rewe', 'Food'))).toBe('if rewe\n  account2 Food\n');
  });

  test('the line of a problem is found in the text', () => {
    expect(lineOf('Bank.rules, line 2: unknown rule')).toBe(2);
    expect(lineOf('no columns are recognized')).toBeUndefined();
    const text = 'skip 1\nfield x\nfields date';
    const { start, end } = rangeOfLine(text, 2);
    expect(text.slice(start, end)).toBe('field x');
    expect(rangeOfLine(text, 9)).toEqual({ start: text.length, end: text.length });
  });
});

describe('rules of a table', () => {
  test('known columns get their target, others a name', () => {
    expect(rulesFromTable('\ufeffDate,Description,Amount,Branch No.\r\n2026-01-01,A,1,2', 'Bank')).toBe(
      '# Rules for Bank\nskip 1\nfields date, description, amount, branch-no\n',
    );
  });

  test('lines above the header are skipped, and the separator is named', () => {
    expect(rulesFromTable('Umsaetze;\nKonto;1234\n\nDatum;Text;Betrag;Saldo\n01.06.2026;Miete;-900,00;1', 'Giro')).toBe(
      '# Rules for Giro\nskip 4\nseparator ;\nfields date, description, amount, balance\n',
    );
  });

  test('columns for in and out', () => {
    expect(rulesFromTable('"Date","Description","Debit","Credit","Balance"', 'Bank')).toContain('fields date, description, amount-out, amount-in, balance');
  });

  test('a text that is no table has none', () => {
    expect(rulesFromTable('OFXHEADER:100\nDATA:OFXSGML', 'Bank')).toBe('');
  });
});
