import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '~/api/client';
import type { components } from '~/api/schema';
import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { addDays } from '~/lib/dates';
import { joinQuery } from '~/lib/query';

export type Reconciliation = components['schemas']['Reconciliation'];
export type ReconciliationChange = components['schemas']['ReconciliationChange'];

/** The reconciliations of an account, or of the whole book, newest first. */
export function useReconciliations(account: string) {
  const { id: bookId } = useBook();
  return useQuery({
    queryKey: ['book', bookId, 'reconciliations', account] as const,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Reconciliation[]> => {
      const query = { limit: 200, ...(account ? { account } : {}) };
      return (await api.get('/v5/books/{bookId}/reconciliations', { path: { bookId }, query, signal })).data.items;
    },
  });
}

export function useReconciliation(id: string | undefined) {
  const { id: bookId } = useBook();
  return useQuery({
    queryKey: ['book', bookId, 'reconciliation', id] as const,
    enabled: id !== undefined,
    queryFn: async ({ signal }): Promise<Reconciliation> => (await api.get('/v5/books/{bookId}/reconciliations/{id}', { path: { bookId, id: id! }, signal })).data,
  });
}

/** The most transactions that can be loaded by their ids (12.11). */
const LOADED_AT_ONCE = 1000;

const MAX_PAGES = 10;
/** Unchecked rows are loaded up to this number, the newest ones. */
export const MAX_ROWS = 1000 * MAX_PAGES;

async function loadPages(bookId: string, query: string, isDone: (rows: readonly Transaction[]) => boolean, signal: AbortSignal): Promise<Transaction[]> {
  const rows: Transaction[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { data } = await api.get('/v5/books/{bookId}/transactions', { path: { bookId }, query: { query, limit: 1000 }, cursor, signal });
    rows.push(...(data.items ?? []));
    cursor = data.cursor;
    if (!cursor || isDone(rows)) break;
  }
  return rows;
}

/**
 * The rows of the account up to the day that a sheet needs: the unchecked ones, the checked ones that are on it,
 * and with `withChecked` all others too.
 */
export function useSheetRows(accountId: string, until: string, ids: readonly string[] | undefined, withChecked: boolean) {
  const { id: bookId } = useBook();
  return useQuery({
    queryKey: ['book', bookId, 'sheet', accountId, until, ids?.length ?? -1, withChecked] as const,
    enabled: accountId !== '' && until !== '',
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Transaction[]> => {
      const base = joinQuery(`account:${accountId}`, `before:${addDays(until, 1)}`);
      const missing = new Set(ids);
      const rows = await loadPages(bookId, joinQuery(base, 'is:unchecked'), () => false, signal);
      for (const row of rows) missing.delete(row.id!);
      if (!withChecked && missing.size === 0) return rows;
      const checked = await loadPages(bookId, joinQuery(base, 'is:checked'), (found) => {
        for (const row of found) missing.delete(row.id!);
        return !withChecked && missing.size === 0;
      }, signal);
      const later = missing.size > 0 ? await loadPages(bookId, joinQuery(`account:${accountId}`, `after:${addDays(until, 1)}`), () => false, signal) : [];
      return [...rows, ...checked, ...later.filter((row) => missing.has(row.id!))];
    },
  });
}

/** The rows that are on a saved sheet, trashed ones too. */
export function useTickedRows(sheet: Reconciliation | undefined) {
  const { id: bookId } = useBook();
  return useQuery({
    queryKey: ['book', bookId, 'ticked', sheet?.id, sheet?.updatedAt] as const,
    enabled: sheet !== undefined,
    queryFn: async ({ signal }): Promise<Transaction[]> => {
      const ids = sheet?.transactionIds ?? [];
      const rows: Transaction[] = [];
      for (let start = 0; start < ids.length; start += LOADED_AT_ONCE) {
        const items = ids.slice(start, start + LOADED_AT_ONCE).map((id) => ({ id }));
        rows.push(...((await api.post('/v5/books/{bookId}/transactions/load/batch', { path: { bookId }, body: { items }, signal })).data.items ?? []));
      }
      return rows;
    },
  });
}

/** The name and the address of a statement file. */
export function useStatementFile(fileId: string | undefined) {
  const { id: bookId } = useBook();
  return useQuery({
    queryKey: ['book', bookId, 'statement-file', fileId] as const,
    enabled: Boolean(fileId),
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const { data } = await api.get('/v5/books/{bookId}/files/{id}', { path: { bookId, id: fileId! }, signal });
      return { name: data.name ?? 'Statement', url: /^https?:/.test(data.url ?? '') ? data.url : undefined };
    },
  });
}
