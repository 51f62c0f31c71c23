import { expect, test } from 'vitest';
import { Problem, type Reason } from './problem';

test.each<[number, Reason, boolean]>([
  [0, 'network', true], [409, 'outcomeUnknown', true], [502, 'unreadable', true], [503, 'deadlineExceeded', true],
  [400, 'lockedDate', false], [503, 'notOffered', false], [422, 'idempotencyKeyReused', false],
])('whether a write with the answer %s %s may have been executed: %s', (status, reason, expected) => {
  expect(new Problem(status, reason, '').isUnanswered).toBe(expected);
});
