import { expect, test } from 'vitest';
import { exampleOf, questionOf, readingsOf, statementsOf } from './question';

test.each([
  ['dates such as "03/04/2026" are ambiguous: state whether the day or the month is first', 'dateOrder'],
  ['amounts such as "1.000" are ambiguous: state the decimal mark', 'decimalMark'],
  ['unknown encoding "latin9x"', 'encoding'],
  ['the file is not valid UTF-8', 'encoding'],
  ['the workbook has no sheet "March"', 'sheet'],
  ['the account of these statements is unknown: DE02, DE03; name an account, or give an account of the book the property bank_account', 'account'],
  ['account "Food" is not permanent: statements are of ASSET and LIABILITY accounts', 'account'],
  ['the account has two files of rules: remove one, or name one', 'rules'],
  ['Bank.rules, line 3: invalid decimal mark "x": expected . or ,', 'rules'],
  ['no columns are recognized: expected a header with a date and an amount, or rules', 'rules'],
  ['the file contains no statement', undefined],
])('%s asks for %s', (error, question) => {
  expect(questionOf(error)).toBe(question);
});

test('the example and both readings of a date are taken from the message', () => {
  expect(exampleOf('dates such as "03/04/2026" are ambiguous')).toBe('03/04/2026');
  expect(readingsOf('3/04/26')).toEqual({ dayFirst: '2026-04-03', monthFirst: '2026-03-04' });
  expect(readingsOf('March')).toBeUndefined();
});

test('statements without a number are not named', () => {
  const message = (names: string) => `the account of these statements is unknown: ${names}; name an account`;
  expect(statementsOf(message('DE02, without a number'))).toEqual(['DE02']);
  expect(statementsOf('other')).toEqual([]);
});
