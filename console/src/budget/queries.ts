import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { keys } from '~/api/cache';
import { api } from '~/api/client';
import type { Account, Book, Transaction } from '~/api/types';
import { useBooks } from '~/book/queries';
import { useBook } from '~/book/types';
import { addDays, addMonths, type Period } from '~/lib/dates';
import { followBook } from '~/live/follow';
import type { Report } from '~/report/rows';
import { BUDGET_OF } from './cells';

/** A year of 500 accounts has 6,000 transactions. */
const MAX_PAGES = 20;

/** The budgets of a book: books of the caller that name it. */
export function useBudgets(): { readonly budgets: readonly Book[]; readonly isLoading: boolean } {
  const { id } = useBook();
  const { data, isLoading } = useBooks();
  const budgets = useMemo(() => (data ?? []).filter(({ properties }) => properties?.[BUDGET_OF] === id), [data, id]);
  return { budgets, isLoading };
}

/** The whole months around a period. */
export function monthRange(period: Period): { readonly from: string; readonly until: string; readonly text: string } {
  const from = `${period.from.slice(0, 7)}-01`;
  const until = addDays(addMonths(`${period.to.slice(0, 7)}-01`, 1), -1);
  return { from, until, text: `${from}..${until}` };
}

/** The income statement of the book by month, with accounts that have no movements. */
export function actualOptions(bookId: string, period: string) {
  return queryOptions({
    queryKey: [...keys.book(bookId), 'budget-actual', period] as const,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Report> => {
      const query = { period, columns: 'month', zeros: 'true' };
      return (await api.get('/v5/books/{bookId}/reports/{id}', { path: { bookId, id: 'income-statement' }, query, signal })).data;
    },
  });
}

/** The transactions of a budget in whole months. */
export function plannedOptions(budgetId: string, from: string, until: string) {
  return queryOptions({
    queryKey: [...keys.book(budgetId), 'budget-rows', from, until] as const,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<readonly Transaction[]> => {
      const query = `is:posted after:${from} before:${addDays(until, 1)}`;
      const rows: Transaction[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const { data } = await api.get('/v5/books/{bookId}/transactions', { path: { bookId: budgetId }, query: { query, limit: 1000 }, cursor, signal });
        rows.push(...(data.items ?? []));
        cursor = data.cursor;
        if (!cursor) break;
      }
      return rows;
    },
  });
}

export function budgetAccountsOptions(budgetId: string) {
  return queryOptions({
    queryKey: [...keys.book(budgetId), 'budget-accounts'] as const,
    queryFn: async ({ signal }): Promise<readonly Account[]> => (await api.get('/v5/books/{bookId}/accounts', { path: { bookId: budgetId }, signal })).data.items ?? [],
  });
}

/** The figures of the book and of its budget, and changes of others in the budget as they happen. */
export function useBudgetFigures(budgetId: string, period: Period) {
  const { id: bookId } = useBook();
  const { from, until, text } = monthRange(period);
  const actual = useQuery(actualOptions(bookId, text));
  const planned = useQuery(plannedOptions(budgetId, from, until));
  const accounts = useQuery(budgetAccountsOptions(budgetId));
  // The book itself is followed on each of its pages.
  useEffect(() => followBook(budgetId, { isQuiet: true }), [budgetId]);
  return { actual: actual.data, planned: planned.data, accounts: accounts.data, error: actual.error ?? planned.error ?? accounts.error };
}
