/** Writes on transactions. Each is an action with undo; lists show the expected state at once. */
import { api } from '~/api/client';
import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { useAction } from '~/ui/actions';
import { patchTransactions } from './queries';

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const refs = (ids: readonly string[]): Transaction[] => ids.map((id) => ({ id }));

interface CheckInput {
  readonly ids: readonly string[];
  readonly checked: boolean;
}

/** Checks or unchecks rows: all of them or, if the server refuses one, none. */
export function useCheck() {
  const { id: bookId } = useBook();
  const write = ({ ids, checked }: CheckInput, idempotencyKey: string) => {
    const options = { path: { bookId }, query: { all: true }, body: { items: refs(ids) }, idempotencyKey };
    return checked
      ? api.patch('/v5/books/{bookId}/transactions/check/batch', options)
      : api.patch('/v5/books/{bookId}/transactions/uncheck/batch', options);
  };
  return useAction({
    bookId,
    quiet: true,
    done: ({ ids, checked }: CheckInput) => `${checked ? 'Checked' : 'Unchecked'} ${plural(ids.length, 'transaction')}`,
    run: write,
    undo: ({ ids, checked }, _result, key) => write({ ids, checked: !checked }, key),
    optimistic: ({ ids, checked }) => patchTransactions(bookId, ids, (row) => ({ ...row, checked })),
  });
}

/** Moves rows to the trash; the undo restores them. */
export function useTrash() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: (ids: readonly string[]) => `Moved ${plural(ids.length, 'transaction')} to the trash`,
    run: (ids, idempotencyKey) =>
      api.patch('/v5/books/{bookId}/transactions/trash/batch', { path: { bookId }, query: { all: true }, body: { items: refs(ids) }, idempotencyKey }),
    undo: (ids, _result, idempotencyKey) =>
      api.patch('/v5/books/{bookId}/transactions/untrash/batch', { path: { bookId }, body: { items: refs(ids) }, idempotencyKey }),
    optimistic: (ids) => patchTransactions(bookId, ids, (row) => ({ ...row, trashed: true })),
  });
}
