/** Writes on saved queries, which the sidebar shows as pinned. */
import { api } from '~/api/client';
import type { SavedQuery } from '~/api/types';
import { useAction } from '~/ui/actions';
import { useBook } from './types';

const nameOf = ({ title, query }: SavedQuery): string => title || query || '';

/** The contract calls this id an int64; as a number it would lose digits. */
const pathId = (id: string): number => id as unknown as number;

export function usePinQuery() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: (pin: SavedQuery) => `Pinned ${nameOf(pin)}`,
    run: async (body, idempotencyKey) => (await api.post('/v5/books/{bookId}/queries', { path: { bookId }, body, idempotencyKey })).data,
    undo: (_pin, { id }, idempotencyKey) => api.delete('/v5/books/{bookId}/queries/{id}', { path: { bookId, id: pathId(id!) }, idempotencyKey }),
  });
}

export function useRenamePin() {
  const { id: bookId } = useBook();
  const update = ({ id, title, query }: SavedQuery, idempotencyKey: string) =>
    api.put('/v5/books/{bookId}/queries', { path: { bookId }, body: { id: id!, title: title ?? '', query: query! }, idempotencyKey });
  return useAction({
    bookId,
    done: ({ pin, title }: { readonly pin: SavedQuery; readonly title: string }) => `Renamed to ${title || pin.query}`,
    run: ({ pin, title }, key) => update({ ...pin, title }, key),
    undo: ({ pin }, _result, key) => update(pin, key),
  });
}

export function useUnpinQuery() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: (pin: SavedQuery) => `Unpinned ${nameOf(pin)}`,
    run: ({ id }, idempotencyKey) => api.delete('/v5/books/{bookId}/queries/{id}', { path: { bookId, id: pathId(id!) }, idempotencyKey }),
    undo: ({ title, query }, _result, idempotencyKey) =>
      api.post('/v5/books/{bookId}/queries', { path: { bookId }, body: { title: title ?? '', query: query! }, idempotencyKey }),
  });
}
