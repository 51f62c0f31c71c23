import { expect, test } from 'vitest';
import { addressFault, PERMISSION_EFFECTS, PERMISSION_NAMES, requestable, SHARED } from './permissions';

test('every shared permission has a name and an explanation', () => {
  for (const permission of SHARED) {
    expect(PERMISSION_NAMES[permission]).toMatch(/^Can /);
    expect(PERMISSION_EFFECTS[permission].may).not.toBe('');
  }
});

test('a request adds to the current permission', () => {
  expect(requestable('VIEWER', true)).toEqual(['RECORDER', 'POSTER', 'EDITOR', 'OWNER']);
  expect(requestable('EDITOR', true)).toEqual(['OWNER']);
  expect(requestable('OWNER', true)).toEqual([]);
});

test('readers of a public book ask for everything but ownership', () => {
  expect(requestable('VIEWER', false)).toEqual(['VIEWER', 'RECORDER', 'POSTER', 'EDITOR']);
  expect(requestable('NONE', false)).not.toContain('OWNER');
});

test('an address without a name or host is refused before it is sent', () => {
  expect(addressFault('')).toBeDefined();
  expect(addressFault('bob')).toBeDefined();
  expect(addressFault('bob@')).toBeDefined();
  expect(addressFault(' bob@example.com ')).toBeUndefined();
  expect(addressFault('zoë@bücher.example')).toBeUndefined();
});
