/** Writes on transactions. Each is an action with undo; lists show the expected state at once. */
import { api, newKey } from '~/api/client';
import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { toPlain } from '~/lib/money';
import { useAction } from '~/ui/actions';
import { copiesOf, duplicateOf, reversalOf, visible, type Fields } from './changes';
import { patchTransactions } from './queries';

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const refs = (ids: readonly string[]): Transaction[] => ids.map((id) => ({ id }));
const idsOf = (rows: readonly Transaction[]): string[] => rows.map(({ id }) => id!);

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
    keepsFigures: true,
    quiet: true,
    done: ({ ids, checked }: CheckInput) => `${checked ? 'Checked' : 'Unchecked'} ${plural(ids.length, 'transaction')}`,
    run: write,
    undo: ({ ids, checked }, _result, key) => write({ ids, checked: !checked }, key),
    optimistic: ({ ids, checked }) => patchTransactions(bookId, ids, (row) => ({ ...row, checked })),
  });
}

async function trash(bookId: string, ids: readonly string[], hasChecked: boolean, idempotencyKey: string): Promise<void> {
  await api.patch('/v5/books/{bookId}/transactions/trash/batch', {
    path: { bookId }, query: { all: true, ...(hasChecked ? { trashChecked: true } : {}) }, body: { items: refs(ids) }, idempotencyKey,
  });
}

async function restore(bookId: string, ids: readonly string[], idempotencyKey: string): Promise<void> {
  await api.patch('/v5/books/{bookId}/transactions/untrash/batch', { path: { bookId }, query: { all: true }, body: { items: refs(ids) }, idempotencyKey });
}

/** Moves rows to the trash; the undo restores them. Checked rows must be confirmed before. */
export function useTrash() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: (rows: readonly Transaction[]) => `Moved ${plural(rows.length, 'transaction')} to the trash`,
    run: (rows, key) => trash(bookId, idsOf(rows), rows.some(({ checked }) => checked), key),
    undo: (rows, _result, key) => restore(bookId, idsOf(rows), key),
    optimistic: (rows) => patchTransactions(bookId, idsOf(rows), (row) => ({ ...row, trashed: true })),
  });
}

/** Takes rows out of the trash; they get their previous state. */
export function useRestore() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: (rows: readonly Transaction[]) => `Restored ${plural(rows.length, 'transaction')}`,
    run: (rows, key) => restore(bookId, idsOf(rows), key),
    undo: (rows, _result, key) => trash(bookId, idsOf(rows), rows.some(({ checked }) => checked), key),
    optimistic: (rows) => patchTransactions(bookId, idsOf(rows), (row) => ({ ...row, trashed: false })),
  });
}

async function createAll(bookId: string, items: Transaction[], idempotencyKey: string): Promise<string[]> {
  const { data } = await api.post('/v5/books/{bookId}/transactions/batch', { path: { bookId }, body: { items }, idempotencyKey });
  return idsOf(data.items);
}

/** Posts complete drafts. The API cannot unpost: the undo trashes them and records the drafts again. */
export function usePost() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: (rows: readonly Transaction[]) => `Posted ${plural(rows.length, 'draft')}`,
    run: (rows, idempotencyKey) =>
      api.patch('/v5/books/{bookId}/transactions/post/batch', { path: { bookId }, query: { all: true }, body: { items: refs(idsOf(rows)) }, idempotencyKey }),
    undo: async (rows, _result, key) => {
      await trash(bookId, idsOf(rows), false, key);
      await createAll(bookId, rows.map(draftAgain), newKey());
    },
    optimistic: (rows) => patchTransactions(bookId, idsOf(rows), (row) => ({ ...row, posted: true, draft: false })),
  });
}

const draftAgain = ({ date, amount, description, creditAccount, debitAccount, properties, urls, remoteIds, files }: Transaction): Transaction => ({
  date: date ?? null, amount: amount ?? null, description: description ?? null, draft: true,
  creditAccount: creditAccount?.id ? { id: creditAccount.id } : null,
  debitAccount: debitAccount?.id ? { id: debitAccount.id } : null,
  properties: visible(properties), urls: urls ?? [], remoteIds: remoteIds ?? [],
  files: (files ?? []).map(({ id }) => ({ id: id! })),
});

interface CopyInput {
  readonly rows: readonly Transaction[];
  readonly date: string;
}

/** Records copies of rows on another day; the undo trashes them. */
export function useDuplicate() {
  const { id: bookId, day } = useBook();
  return useAction({
    bookId,
    done: ({ rows, date }: CopyInput) => `Duplicated ${plural(rows.length, 'transaction')} to ${day(date)}`,
    identity: ({ rows, date }) => `${bookId} ${JSON.stringify(copiesOf(rows, date, '', duplicateOf))}`,
    run: ({ rows, date }, key) => createAll(bookId, copiesOf(rows, date, key, duplicateOf), key),
    undo: (_input, ids, key) => trash(bookId, ids, false, key),
  });
}

/** Records the opposite of rows that are locked. */
export function useReverse() {
  const { id: bookId, day } = useBook();
  return useAction({
    bookId,
    done: ({ rows, date }: CopyInput) => `Recorded the opposite of ${plural(rows.length, 'transaction')} on ${day(date)}`,
    identity: ({ rows, date }) => `${bookId} ${JSON.stringify(copiesOf(rows, date, '', reversalOf))}`,
    run: ({ rows, date }, key) => createAll(bookId, copiesOf(rows, date, key, reversalOf), key),
    undo: (_input, ids, key) => trash(bookId, ids, false, key),
  });
}

interface MergeInput {
  readonly rows: readonly [Transaction, Transaction];
  readonly fields: Fields;
}

/** Makes one transaction of two, with the chosen fields. The undo restores both. */
export function useMerge() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: () => 'Merged 2 transactions',
    run: async ({ rows: [first, second], fields }: MergeInput, idempotencyKey) => {
      const { date, description, amount, from, to } = fields;
      const chosen: Transaction = {
        id: first.id!,
        ...(date ? { date } : {}),
        ...(description ? { description } : {}),
        ...(amount ? { amount: toPlain(amount) } : {}),
        ...(from ? { creditAccount: { id: from } } : {}),
        ...(to ? { debitAccount: { id: to } } : {}),
      };
      const { data } = await api.patch('/v5/books/{bookId}/transactions/merge', { path: { bookId }, body: { items: [chosen, { id: second.id! }] }, idempotencyKey });
      return data.transaction!.id!;
    },
    undo: async ({ rows }, merged, key) => {
      await trash(bookId, [merged], false, key);
      await restore(bookId, idsOf(rows), newKey());
    },
  });
}
