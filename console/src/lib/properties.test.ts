import { expect, test } from 'vitest';
import { propertyChanges, shownProperties } from './properties';

test('an update has changed and new keys, and empties the removed ones', () => {
  expect(propertyChanges({ a: '1', b: '2', c: '3' }, [['a', '1'], ['b', '5'], [' d ', '4'], ['', 'x'], ['e', ' ']])).toEqual({ b: '5', c: '', d: '4' });
});

test('hidden keys and those with a field of their own are not shown', () => {
  expect(shownProperties({ a: '1', b_: '2', currency: 'EUR', c: null }, ['currency'])).toEqual([['a', '1']]);
});
