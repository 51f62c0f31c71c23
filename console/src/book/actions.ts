/** Writes on books. */
import { queryClient, keys } from '~/api/cache';
import { api } from '~/api/client';
import type { Book } from '~/api/types';
import { perform, useAction } from '~/ui/actions';

/** Reloads the lists of books, of deleted books and of collections. */
export function booksChanged(): void {
  void queryClient.invalidateQueries({ queryKey: keys.books });
}

async function changing<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } finally {
    booksChanged();
  }
}

const remove = (bookId: string, idempotencyKey: string) => api.delete('/v5/books/{bookId}', { path: { bookId }, idempotencyKey });
const restore = (bookId: string, idempotencyKey: string) => api.post('/v5/books/{bookId}/restore', { path: { bookId }, idempotencyKey });

export function useCreateBook() {
  return useAction({
    done: (body: Book) => `Created ${body.name}`,
    run: async (body, idempotencyKey) => (await changing(api.post('/v5/books', { body, idempotencyKey }))).data,
    undo: (_body, book, key) => changing(remove(book.id!, key)),
  });
}

export interface CopyInput {
  readonly book: Book;
  readonly name: string;
  readonly withTransactions: boolean;
  /** First day of the copied transactions, `yyyy-MM-dd`; '' copies all. */
  readonly fromDate: string;
}

export function useCopyBook() {
  return useAction({
    done: ({ name }: CopyInput) => `Copied to ${name}`,
    run: async ({ book, name, withTransactions, fromDate }, idempotencyKey) => {
      const start = withTransactions && fromDate ? { fromDate: Number(fromDate.replaceAll('-', '')), openingBalances: true } : {};
      const query = { name, copyTransactions: withTransactions, ...start };
      return (await changing(api.post('/v5/books/{bookId}/copy', { path: { bookId: book.id! }, query, idempotencyKey }))).data;
    },
    undo: (_input, copy, key) => changing(remove(copy.id!, key)),
  });
}

export function useDeleteBook() {
  return useAction({
    done: (book: Book) => `Deleted ${book.name}`,
    run: (book, key) => changing(remove(book.id!, key)),
    undo: (book, _result, key) => changing(restore(book.id!, key)),
  });
}

export function useRestoreBook() {
  return useAction({
    done: (book: Book) => `Restored ${book.name}`,
    run: (book, key) => changing(restore(book.id!, key)),
    undo: (book, _result, key) => changing(remove(book.id!, key)),
  });
}

export interface UpdateInput {
  readonly body: Book;
  /** The former values of the changed fields. */
  readonly before: Book;
  readonly etag: string | undefined;
}

/** Changes settings. Fails with a toast when someone else has changed the book; the caller shows both. */
export function useUpdateBook(bookId: string) {
  const update = (body: Book, idempotencyKey: string, ifMatch?: string) =>
    changing(api.put('/v5/books', { body: { ...body, id: bookId }, idempotencyKey, ifMatch }));
  return useAction({
    bookId,
    done: () => 'Saved the settings',
    run: ({ body, etag }: UpdateInput, key) => update(body, key, etag),
    undo: ({ before }, _result, key) => update(before, key),
  });
}

/** Adds the groups and accounts of a template to a book that has none. */
export function applyTemplate(bookId: string, name: string, template: Book): Promise<unknown> {
  const path = { bookId };
  return perform({
    bookId,
    done: () => `Added the accounts of ${name}`,
    run: async (_input: undefined, key) => {
      const groups = (await api.post('/v5/books/{bookId}/groups/batch', { path, body: { items: template.groups ?? [] }, idempotencyKey: `${key}g` })).data.items ?? [];
      const accounts = (await api.post('/v5/books/{bookId}/accounts/batch', { path, body: { items: template.accounts ?? [] }, idempotencyKey: `${key}a` })).data.items ?? [];
      return { groups, accounts };
    },
    undo: async (_input, { groups, accounts }, key) => {
      const refs = (items: readonly { id?: string }[]) => ({ items: items.map(({ id }) => ({ id: id! })) });
      await api.post('/v5/books/{bookId}/accounts/delete/batch', { path, body: refs(accounts), idempotencyKey: `${key}a` });
      await api.post('/v5/books/{bookId}/groups/delete/batch', { path, body: refs(groups), idempotencyKey: `${key}g` });
    },
  }, undefined);
}
