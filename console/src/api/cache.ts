/** The cache of server state, its keys, and the one way to say that a book has changed. */
import { QueryClient } from '@tanstack/react-query';
import { isProblem } from './problem';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      gcTime: 10 * 60_000,
      // The client has already repeated transient failures.
      retry: false,
      refetchOnWindowFocus: (query) => !isProblem(query.state.error, 'required'),
    },
  },
});

/** Keys of a book begin with `['book', id]`, so `bookChanged` reaches all of them. */
export const keys = {
  user: ['user'] as const,
  books: ['books'] as const,
  templates: ['templates'] as const,
  book: (bookId: string) => ['book', bookId] as const,
  bookWithAccounts: (bookId: string) => ['book', bookId, 'accounts'] as const,
  balances: (bookId: string, query: string) => ['book', bookId, 'balances', query] as const,
  count: (bookId: string, query: string) => ['book', bookId, 'count', query] as const,
  queries: (bookId: string) => ['book', bookId, 'queries'] as const,
  transaction: (bookId: string, id: string) => ['book', bookId, 'transaction', id] as const,
  hashtags: (bookId: string) => ['book', bookId, 'hashtags'] as const,
};

const listeners = new Set<(bookId: string | undefined) => void>();

/** For caches outside of TanStack Query, such as the pages of a list. Undefined stands for all books. */
export function onBookChanged(listener: (bookId: string | undefined) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Reloads what is shown of a book. Call it after each write and for each event of others. */
export function bookChanged(bookId: string): void {
  void queryClient.invalidateQueries({ queryKey: keys.book(bookId) });
  listeners.forEach((listener) => listener(bookId));
}

/** Reloads everything that is shown, after a lost connection or session. */
export async function everythingChanged(): Promise<void> {
  listeners.forEach((listener) => listener(undefined));
  await queryClient.invalidateQueries();
}
