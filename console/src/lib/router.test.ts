import { expect, test } from 'vitest';
import { matchPath } from './router';

test.each([
  ['/b/:bookId/transactions', '/b/ag%20x/transactions', { bookId: 'ag x' }],
  ['/b/:bookId', '/b/1/', { bookId: '1' }],
  ['/', '/', {}],
  ['/b/:bookId', '/b/', undefined],
  ['/b/:bookId', '/b/1/transactions', undefined],
  ['/b/:bookId', '/b/%E0%A4%A', { bookId: '%E0%A4%A' }],
])('%s on %s', (pattern, path, expected) => {
  expect(matchPath(pattern, path)).toEqual(expected);
});
