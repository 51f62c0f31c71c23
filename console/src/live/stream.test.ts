import { describe, expect, test } from 'vitest';
import { Problem, type Reason } from '~/api/problem';
import { afterRefusal, waitBefore } from './stream';

const problem = (status: number, reason: Reason, retryAfterMs?: number) => new Problem(status, reason, '', [], retryAfterMs);

describe('waiting', () => {
  test('doubles up to half a minute', () => {
    expect([1, 2, 3, 6, 20].map((attempt) => waitBefore(attempt, problem(0, 'network')))).toEqual([1000, 2000, 4000, 30_000, 30_000]);
  });

  test('is at least what the server asks for', () => {
    expect(waitBefore(1, problem(429, 'rateLimitExceeded', 60_000))).toBe(60_000);
  });
});

describe('a refusal', () => {
  test.each([[403, 'forbidden'], [404, 'notFound'], [405, 'methodNotAllowed']] as const)('with %i ends the attempts', (status, reason) => {
    expect(afterRefusal(problem(status, reason), '7').isFinal).toBe(true);
  });

  test('of an event that is too large passes it by', () => {
    expect(afterRefusal(problem(400, 'answerTooLarge'), '9007199254740993')).toEqual({ isFinal: false, lastId: '9007199254740994', hasGap: true });
  });

  test('of the event number begins anew and loads everything', () => {
    expect(afterRefusal(problem(400, 'invalid'), '7')).toEqual({ isFinal: false, lastId: undefined, hasGap: true });
  });

  test.each([problem(0, 'network'), problem(503, 'backendError'), new TypeError('network error'), undefined])('%o keeps the place', (error) => {
    expect(afterRefusal(error, '7')).toEqual({ isFinal: false, lastId: '7', hasGap: false });
  });
});
