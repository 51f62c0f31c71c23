import { expect, test } from 'vitest';
import type { Transaction } from '~/api/types';
import { otherHalfOf } from './legs';

test.each([['home', 'abroad'], ['abroad', 'home']])('the other half of a transfer is named from %s', (bookId, other) => {
  const row: Transaction = { properties: { entry_id: 'k', transfer_from_book: 'home', transfer_to_book: 'abroad' } };
  expect(otherHalfOf(row, bookId)).toEqual({ bookId: other, entryId: 'k' });
});

test('a row of one book has no other half', () => {
  expect(otherHalfOf({ properties: { entry_id: 'k' } }, 'home')).toBeUndefined();
  expect(otherHalfOf({}, 'home')).toBeUndefined();
});
