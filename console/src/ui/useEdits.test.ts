import { expect, test } from 'vitest';
import { mergeEdits } from './useEdits';

test('fields without an edit follow what is saved', () => {
  const merged = mergeEdits({ name: 'New name', zone: 'UTC' }, { zone: { from: 'UTC', to: 'Europe/Berlin' } });
  expect(merged.values).toEqual({ name: 'New name', zone: 'Europe/Berlin' });
  expect(merged.changed).toEqual(['zone']);
  expect(merged.conflicts).toEqual([]);
});

test('an edit of a field that someone else changed is a conflict', () => {
  const merged = mergeEdits({ name: 'Theirs' }, { name: { from: 'Before', to: 'Mine' } });
  expect(merged.values.name).toBe('Mine');
  expect(merged.conflicts).toEqual(['name']);
});

test('an edit that equals what is saved is no change', () => {
  expect(mergeEdits({ name: 'Same' }, { name: { from: 'Before', to: 'Same' } }).changed).toEqual([]);
});
