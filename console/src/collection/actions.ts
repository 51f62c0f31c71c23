/** Writes on collections, which order the caller's books. */
import { api } from '~/api/client';
import type { Book } from '~/api/types';
import { booksChanged } from '~/book/actions';
import { useAction } from '~/ui/actions';

async function changing<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } finally {
    booksChanged();
  }
}

export interface MoveInput {
  readonly book: Book;
  /** Id of the collection; '' takes the book out of its collection. */
  readonly to: string;
  readonly toName: string;
  /** Id of the caller's collection that has the book now, or ''. */
  readonly from: string;
}

function move(bookId: string, from: string, to: string, idempotencyKey: string): Promise<unknown> {
  const body = { items: [{ id: bookId }] };
  if (to) return changing(api.patch('/v5/collections/{id}/books/add', { path: { id: to }, body, idempotencyKey }));
  if (from) return changing(api.patch('/v5/collections/{id}/books/remove', { path: { id: from }, body, idempotencyKey }));
  return Promise.resolve();
}

export function useMoveToCollection() {
  return useAction({
    done: ({ book, to, toName }: MoveInput) => (to ? `Moved ${book.name} to ${toName}` : `Took ${book.name} out of its collection`),
    run: ({ book, from, to }, key) => move(book.id!, from, to, key),
    undo: ({ book, from, to }, _result, key) => move(book.id!, to, from, key),
  });
}

export function useCreateCollection() {
  return useAction({
    done: (name: string) => `Created the collection ${name}`,
    run: async (name, idempotencyKey) => (await changing(api.post('/v5/collections', { body: { name }, idempotencyKey }))).data,
    undo: (_name, { id }, idempotencyKey) => changing(api.delete('/v5/collections/{id}', { path: { id: id! }, idempotencyKey })),
  });
}

export function useRenameCollection() {
  const rename = (id: string, name: string, idempotencyKey: string) => changing(api.put('/v5/collections', { body: { id, name }, idempotencyKey }));
  return useAction({
    done: ({ name }: { id: string; name: string; before: string }) => `Renamed the collection to ${name}`,
    run: ({ id, name }, key) => rename(id, name, key),
    undo: ({ id, before }, _result, key) => rename(id, before, key),
  });
}

export function useDeleteCollection() {
  return useAction({
    done: ({ name }: { id: string; name: string }) => `Deleted the collection ${name}. Its books stay`,
    run: ({ id }, idempotencyKey) => changing(api.delete('/v5/collections/{id}', { path: { id }, idempotencyKey })),
  });
}
