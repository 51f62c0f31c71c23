import { describe, expect, test } from 'vitest';
import { Problem } from '~/api/problem';
import type { Transaction } from '~/api/types';
import { parseDecimal } from '~/lib/money';
import { runTransfer, transferRate, type Half, type TransferState } from './transfer';

test.each([['100.00', '108.50', '1.085'], ['3', '1', '0.33333333'], ['1', '1', '1'], ['100', '15000', '150'], ['0', '1', ''], ['7', '2', '0.28571429']])('the rate of %s and %s is %s', (first, second, rate) => {
  expect(transferRate(parseDecimal(first), parseDecimal(second))).toBe(rate);
});

describe('a transfer', () => {
  const first: Half = { bookId: 'a', transaction: {} };
  const second: Half = { bookId: 'b', transaction: {} };
  const run = async (answers: (Transaction | Problem)[], begin: TransferState = { key: 'k', recorded: undefined }) => {
    const calls: string[] = [];
    let state = begin;
    const result = await runTransfer(first, second, begin, {
      create: async ({ bookId }, key) => {
        calls.push(`create ${bookId} ${key}`);
        const answer = answers.shift()!;
        if (answer instanceof Problem) throw answer;
        return answer;
      },
      trash: async (bookId, id, key) => calls.push(`trash ${bookId} ${id} ${key}`),
      onState: (next) => { state = next; },
    }).catch((error: Error) => error.message);
    return { calls, result, state };
  };
  const lost = new Problem(0, 'network', 'lost');

  test('records both halves', async () => {
    const { calls, result } = await run([{ id: '1' }, { id: '2' }]);
    expect(calls).toEqual(['create a ka', 'create b kb']);
    expect(result).toEqual([{ id: '1' }, { id: '2' }]);
  });

  test('repeats the second half with the same key', async () => {
    const { calls } = await run([{ id: '1' }, lost, { id: '2' }]);
    expect(calls).toEqual(['create a ka', 'create b kb', 'create b kb']);
  });

  test('trashes the first half when the second is refused', async () => {
    const { calls, result, state } = await run([{ id: '1' }, new Problem(400, 'lockedDate', 'locked')]);
    expect(calls.at(-1)).toBe('trash a 1 kc');
    expect(result).toContain('moved to the trash');
    expect(state.recorded).toBeUndefined();
  });

  test('keeps the first half when the answer stays unknown, and does not record it again', async () => {
    const { calls, result, state } = await run([{ id: '1' }, lost, lost, lost]);
    expect(calls).not.toContain('trash a 1 kc');
    expect(result).toContain('nothing is recorded twice');
    expect(state).toEqual({ key: 'k', recorded: { id: '1' } });
    expect((await run([{ id: '2' }], state)).calls).toEqual(['create b kb']);
  });

  test('ends when the first half is refused, and is kept when it has no answer', async () => {
    const refused = await run([new Problem(400, 'lockedDate', 'locked')]);
    expect([refused.calls, refused.state.key]).toEqual([['create a ka'], '']);
    const { state } = await run([lost]);
    expect(state).toEqual({ key: 'k', recorded: undefined });
    expect((await run([{ id: '1' }, { id: '2' }], state)).calls).toEqual(['create a ka', 'create b kb']);
  });
});
