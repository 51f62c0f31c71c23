/** Writes on drafts: complete one or a series, post. Each can be undone. */
import { api } from '~/api/client';
import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { term } from '~/lib/query';
import { useAction } from '~/ui/actions';
import { plural } from '~/transaction/actions';
import { MAX_SERIES, repeatsOf } from '~/transaction/later';
import { asDraft, isDue, toFields, toLater, toUpdate, type DraftFields } from './tray';

/** A draft as it stands now, with its ETag. */
export function readDraft(bookId: string, id: string) {
  return api.get('/v5/books/{bookId}/transactions/{id}', { path: { bookId, id } });
}

interface UpdateInput {
  readonly row: Transaction;
  readonly fields: DraftFields;
  readonly etag: string | undefined;
  /** Also changes later drafts of the same series. */
  readonly withLater: boolean;
}

/** Saves the fields of a draft; a newer version of it on the server refuses the change. */
export function useUpdateDraft() {
  const { id: bookId } = useBook();
  const updateAll = (items: Transaction[], idempotencyKey: string) =>
    api.put('/v5/books/{bookId}/transactions/batch', { path: { bookId }, query: { all: true }, body: { items }, idempotencyKey });
  return useAction({
    bookId,
    done: (_input: UpdateInput, before: readonly Transaction[]) => (before.length > 1 ? `Changed ${plural(before.length, 'draft')} of the series` : 'Saved the draft'),
    run: async ({ row, fields, etag, withLater }, idempotencyKey): Promise<readonly Transaction[]> => {
      const update = toUpdate(row.id!, fields);
      const series = row.properties?.['series'];
      if (!withLater || !series) {
        await api.put('/v5/books/{bookId}/transactions', { path: { bookId }, body: update, ifMatch: etag, idempotencyKey });
        return [row];
      }
      const { data } = await api.get('/v5/books/{bookId}/transactions', {
        path: { bookId }, query: { query: `is:draft ${term('series', series)}`, limit: MAX_SERIES },
      });
      const later = repeatsOf(row, (data.items ?? []).filter((other) => other.id !== row.id && other.date && (!row.date || other.date > row.date)));
      const before = toFields(row);
      await updateAll([update, ...later.map((other) => toLater(other, before, fields))], idempotencyKey);
      return [row, ...later];
    },
    undo: (_input, before, key) => updateAll(before.map((row) => toUpdate(row.id!, toFields(row))), key),
  });
}

/**
 * Posts drafts: all of them or none. The API has no way back to a draft, so the undo trashes the posted
 * transactions and records drafts with the same content.
 */
export function usePostDrafts() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: (rows: readonly Transaction[]) => `Posted ${plural(rows.length, 'draft')}`,
    run: (rows, idempotencyKey) =>
      api.patch('/v5/books/{bookId}/transactions/post/batch', {
        path: { bookId }, query: { all: true }, body: { items: rows.map(({ id }) => ({ id: id! })) }, idempotencyKey,
      }),
    undo: async (rows, _result, key) => {
      await api.patch('/v5/books/{bookId}/transactions/trash/batch', {
        path: { bookId }, query: { all: true }, body: { items: rows.map(({ id }) => ({ id: id! })) }, idempotencyKey: `${key}a`,
      });
      await api.post('/v5/books/{bookId}/transactions/batch', { path: { bookId }, body: { items: rows.map(asDraft) }, idempotencyKey: `${key}b` });
    },
  });
}

/** Complete drafts that are due and not on a locked day. */
export function postable(rows: readonly Transaction[], today: string, lockedUntil: string): Transaction[] {
  return rows.filter((row) => row.date && row.amount && row.creditAccount?.id && row.debitAccount?.id && isDue(row, today) && row.date > lockedUntil);
}
