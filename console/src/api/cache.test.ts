import { expect, test } from 'vitest';
import { bookChanged, keys, queryClient } from './cache';

test('a change reloads all of its book, or all but accounts and amounts', () => {
  const [accounts, balances] = [keys.bookWithAccounts('a'), keys.balances('a', 'by:y')];
  const [count, other] = [keys.count('a', 'is:checked'), keys.count('b', 'is:checked')];
  const stale = () => [accounts, balances, count, other].map((key) => queryClient.getQueryState(key)?.isInvalidated);
  for (const key of [accounts, balances, count, other]) queryClient.setQueryData(key, 1);
  bookChanged('a', { keepsFigures: true });
  expect(stale()).toEqual([false, false, true, false]);
  bookChanged('a');
  expect(stale()).toEqual([true, true, true, false]);
});
