import { expect, test } from 'vitest';
import { exampleOf, questionOf, readingsOf, statementsOf } from './question';

test('the reason of a failure asks a question', () => {
  expect(questionOf({ errorReason: 'unknownColumns' })).toBe('rules');
  expect(questionOf({ errorReason: 'unreadable' })).toBeUndefined();
  expect(questionOf({})).toBeUndefined();
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
