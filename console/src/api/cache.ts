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

/** Keys of accounts and amounts, which in a large book are most of what is loaded. */
const FIGURES: ReadonlySet<unknown> = new Set(['accounts', 'balances']);

/**
 * Reloads what is shown of a book. Call it after each write and for each event of others. `keepsFigures` says that
 * no account and no amount has changed.
 */
export function bookChanged(bookId: string, { keepsFigures = false }: { readonly keepsFigures?: boolean } = {}): void {
  void queryClient.invalidateQueries({
    queryKey: keys.book(bookId),
    predicate: ({ queryKey }) => !keepsFigures || !FIGURES.has(queryKey[2]),
  });
  listeners.forEach((listener) => listener(bookId));
}

/** Reloads everything that is shown, after a lost connection or session. */
export async function everythingChanged(): Promise<void> {
  listeners.forEach((listener) => listener(undefined));
  await queryClient.invalidateQueries();
}
