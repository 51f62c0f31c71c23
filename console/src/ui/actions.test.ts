import { afterEach, expect, test, vi } from 'vitest';
import { perform, type ActionSpec } from './actions';

afterEach(() => vi.useRealTimers());

test('a write that failed is sent again with its key, and the next one has a new key', async () => {
  const sent: string[] = [];
  const answers = [false, true, true, true];
  const spec: ActionSpec<string, string> = {
    done: (input) => input,
    identity: (input) => `book line ${input}`,
    run: async (_input, key) => {
      sent.push(key);
      if (!answers.shift()) throw new Error('The server cannot be reached.');
      return key;
    },
  };
  expect(await perform(spec, 'lunch 5')).toBeUndefined();
  await perform(spec, 'tea 3');
  expect(await perform(spec, 'lunch 5')).toBe(sent[0]);
  await perform(spec, 'lunch 5');
  expect(new Set(sent).size).toBe(3);
  expect(sent[2]).toBe(sent[0]);
});

test('the same write much later is a new one', async () => {
  vi.useFakeTimers();
  const sent: string[] = [];
  const spec: ActionSpec<string, string> = {
    done: (input) => input,
    identity: (input) => input,
    run: async (_input, key) => {
      sent.push(key);
      throw new Error('The server cannot be reached.');
    },
  };
  await perform(spec, 'coffee 3');
  vi.advanceTimersByTime(9 * 60_000);
  await perform(spec, 'coffee 3');
  vi.advanceTimersByTime(11 * 60_000);
  await perform(spec, 'coffee 3');
  expect(sent[1]).toBe(sent[0]);
  expect(sent[2]).not.toBe(sent[0]);
});
