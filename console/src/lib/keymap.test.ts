import { describe, expect, test } from 'vitest';
import { advance, CHORD_TIMEOUT_MS, displayKeys, isSingleKey, keyName, NO_CHORD, SHORTCUTS, type KeyPress } from './keymap';

const press = (key: string, modifiers: Partial<KeyPress> = {}): KeyPress => ({
  key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...modifiers,
});

test('ids are unique, and so are keys within scopes that are active together', () => {
  expect(new Set(SHORTCUTS.map(({ id }) => id)).size).toBe(SHORTCUTS.length);
  for (const scopes of [['everywhere', 'list', 'transactions'], ['everywhere', 'list', 'import'], ['everywhere', 'panel'], ['everywhere', 'entry']]) {
    const keys = SHORTCUTS.filter(({ scope }) => scopes.includes(scope)).flatMap((entry) => entry.keys);
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  }
});

test('no key is the beginning of a longer chord', () => {
  const keys = SHORTCUTS.flatMap((entry) => entry.keys);
  expect(keys.filter((key) => keys.some((other) => other.startsWith(`${key} `)))).toEqual([]);
});

test.each([
  [press('j'), 'j'],
  [press('X', { shiftKey: true }), 'Shift+x'],
  [press('?', { shiftKey: true }), '?'],
  [press('k', { metaKey: true }), 'Mod+k'],
  [press('K', { ctrlKey: true }), 'Mod+k'],
  [press('ArrowDown', { shiftKey: true }), 'Shift+ArrowDown'],
  [press('ß', { altKey: true, code: 'KeyS' }), 'Alt+s'],
])('%o is named %s', (event, expected) => {
  expect(keyName(event)).toBe(expected);
});

describe('chords', () => {
  test('two keys in time make a chord', () => {
    const first = advance(NO_CHORD, 'g', 1000, true);
    expect(first).toMatchObject({ ids: [], waiting: true });
    expect(advance(first.state, 'j', 1500, true).ids).toEqual(['go-transactions']);
  });

  test('a late second key counts alone', () => {
    const first = advance(NO_CHORD, 'g', 1000, true);
    expect(advance(first.state, 'j', 1000 + CHORD_TIMEOUT_MS, true).ids).toEqual(['next']);
  });

  test('an unknown second key counts alone', () => {
    const first = advance(NO_CHORD, 'g', 1000, true);
    expect(advance(first.state, 'n', 1100, true).ids).toEqual(['new']);
  });

  test('single keys can be switched off, named keys and modifiers stay', () => {
    expect(advance(NO_CHORD, 'j', 0, false)).toMatchObject({ ids: [], waiting: false });
    expect(advance(NO_CHORD, 'g', 0, false).waiting).toBe(false);
    expect(advance(NO_CHORD, 'ArrowDown', 0, false).ids).toEqual(['next']);
    expect(advance(NO_CHORD, 'Mod+k', 0, false).ids).toEqual(['palette']);
  });
});

test('characters are single keys, others are not', () => {
  expect(['j', 'g j', '#', 'Shift+x'].map(isSingleKey)).toEqual([true, true, true, true]);
  expect(['Enter', 'Mod+k', 'Alt+s'].map(isSingleKey)).toEqual([false, false, false]);
});

test('keys are shown as on the keyboard', () => {
  expect(displayKeys('Mod+k', true)).toEqual(['⌘', 'K']);
  expect(displayKeys('g j', false)).toEqual(['G', 'J']);
});
