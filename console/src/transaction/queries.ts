import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useReducer, useSyncExternalStore } from 'react';
import { keys, onBookChanged } from '~/api/cache';
import { api } from '~/api/client';
import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { formatCount } from '~/lib/money';
import { TransactionRows } from './rows';

const MAX_LISTS = 12;
const lists = new Map<string, TransactionRows>();
const keyOf = (bookId: string, query: string): string => `${bookId} ${query}`;

function listFor(bookId: string, query: string): TransactionRows {
  const key = keyOf(bookId, query);
  const known = lists.get(key);
  const rows = known ?? new TransactionRows(async (cursor, limit) => {
    const { data } = await api.get('/v5/books/{bookId}/transactions', { path: { bookId }, query: { query, limit }, cursor });
    return { items: data.items ?? [], cursor: data.cursor, warnings: data.warnings ?? [] };
  });
  // Reinsertion keeps the map in order of use.
  lists.delete(key);
  lists.set(key, rows);
  for (const [oldKey, old] of lists) {
    if (lists.size <= MAX_LISTS) break;
    if (!old.isUsed) lists.delete(oldKey);
  }
  return rows;
}

onBookChanged((bookId) => {
  for (const [key, rows] of lists) {
    if (bookId !== undefined && !key.startsWith(`${bookId} `)) continue;
    if (rows.isUsed) void rows.refresh();
    else lists.delete(key);
  }
});

/**
 * Changes rows of the lists that are shown of a book; returns a function that takes the change back. Other lists
 * are loaded anew when they are opened.
 */
export function patchTransactions(bookId: string, ids: readonly string[], change: (row: Transaction) => Transaction): () => void {
  const shown = [...lists].filter(([key, rows]) => key.startsWith(`${bookId} `) && rows.isUsed);
  const reverts = shown.map(([, rows]) => rows.patch(ids, change));
  return () => reverts.forEach((revert) => revert());
}

/** The rows of a query, newest first. The object is stable; the component renders again when it changes. */
export function useTransactionRows(query: string): TransactionRows {
  const { id: bookId } = useBook();
  const [attempt, takeAgain] = useReducer((count: number) => count + 1, 0);
  const rows = useMemo(() => listFor(bookId, query), [bookId, query, attempt]);
  useSyncExternalStore(rows.subscribe, rows.getVersion);
  useEffect(() => {
    // A change of the book between the first render and this effect forgets the list, which no view showed yet.
    if (lists.get(keyOf(bookId, query)) !== rows) takeAgain();
    else if (rows.rows.length === 0) void rows.loadMore();
  }, [bookId, query, rows]);
  return rows;
}

/** The number of transactions of a query. */
export function useTransactionCount(query: string) {
  const { id: bookId } = useBook();
  return useQuery({
    queryKey: keys.count(bookId, query),
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const { data } = await api.get('/v5/books/{bookId}/transactions/count', { path: { bookId }, query: { query }, signal });
      return { total: data.total ?? 0, warnings: data.warnings ?? [] };
    },
  });
}

/** The number of transactions of a query, for the header: `1,234 rows`. */
export function useRowCount(query: string): string | undefined {
  const { numbers } = useBook();
  const total = useTransactionCount(query).data?.total;
  return total === undefined ? undefined : `${formatCount(total, numbers)} ${total === 1 ? 'row' : 'rows'}`;
}

/** One transaction with the ETag for changes to it. */
export function useTransaction(id: string) {
  const { id: bookId } = useBook();
  return useQuery({
    queryKey: keys.transaction(bookId, id),
    queryFn: async ({ signal }) => {
      const { data, etag } = await api.get('/v5/books/{bookId}/transactions/{id}', { path: { bookId, id }, signal });
      return { transaction: data, etag };
    },
  });
}
