import { expect, test } from 'vitest';
import { groupDeliveries, outcomeOf, sequenceOf, type Attempt } from './deliveries';

const attempt = (eventId: string, at: number, error?: string): Attempt =>
  ({ agentId: 'bot', eventId, attempt: at, at: String(at), durationMs: 35, ...(error ? { error } : { status: 200 }) }) as Attempt;

test('failed deliveries come first, then the newest', () => {
  const grouped = groupDeliveries([attempt('c', 9), attempt('b', 8, 'timeout'), attempt('a', 7, 'refused'), attempt('d', 3)]);
  expect(grouped.map(({ eventId }) => eventId)).toEqual(['b', 'a', 'c', 'd']);
});

test('a delivery that succeeded at last has not failed', () => {
  const [delivery] = groupDeliveries([attempt('a', 2), attempt('a', 1, 'refused')]);
  expect(delivery).toMatchObject({ hasFailed: false, attempts: [{ at: '2' }, { at: '1' }] });
});

test('the number of an event is in its id', () => {
  expect(sequenceOf('00000000004d9c9e57ed7b9cedd60504fb13d7622f6b')).toBe(77);
  expect(sequenceOf('nonsense')).toBe(0);
});

test('outcomes are short', () => {
  expect(outcomeOf(attempt('a', 1))).toBe('200 in 35 ms');
  expect(outcomeOf({ ...attempt('a', 1, 'timeout'), durationMs: 60_000 })).toBe('after 60,000 ms');
});
