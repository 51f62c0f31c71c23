/** What lists show beside rows and no row carries: failed answers of apps, and reversals. */
import { useQuery } from '@tanstack/react-query';
import { keys } from '~/api/cache';
import { api } from '~/api/client';
import { useBook } from '~/book/types';
import { joinQuery } from '~/lib/query';
import { useAppNames } from './events';

const MAX_MARKS = 1000;
/** An answer of an app is no event of the book, so lists of a book with apps ask now and then. */
const ANSWER_POLL_MS = 15_000;
const NO_IDS: ReadonlySet<string> = new Set();
const NO_REVERSALS: ReadonlyMap<string, string> = new Map();

/** Ids of the rows of a query that an app answered with an error: the newest thousand. */
export function useErrorIds(query: string): ReadonlySet<string> {
  const { id: bookId, can } = useBook();
  const apps = useAppNames(can('VIEWER'));
  const { data } = useQuery({
    queryKey: [...keys.book(bookId), 'errors', query],
    enabled: can('VIEWER'),
    refetchInterval: apps.size > 0 ? ANSWER_POLL_MS : false,
    queryFn: async ({ signal }) => {
      const { data: found } = await api.get('/v5/books/{bookId}/transactions', {
        path: { bookId }, query: { query: joinQuery(query, 'error:true'), limit: MAX_MARKS }, signal,
      });
      return new Set(found.items.map(({ id }) => id!));
    },
  });
  return data ?? NO_IDS;
}

/** The newest thousand reversals of the book: from the original to its reversal. */
export function useReversals(): ReadonlyMap<string, string> {
  const { id: bookId, can, lockedUntil } = useBook();
  const { data } = useQuery({
    queryKey: [...keys.book(bookId), 'reversals'],
    enabled: can('VIEWER') && lockedUntil !== '',
    queryFn: async ({ signal }) => {
      const { data: found } = await api.get('/v5/books/{bookId}/transactions', {
        path: { bookId }, query: { query: 'reverses:*', limit: MAX_MARKS }, signal,
      });
      return new Map(found.items.map((row) => [row.properties?.['reverses'] ?? '', row.id!]));
    },
  });
  return data ?? NO_REVERSALS;
}
