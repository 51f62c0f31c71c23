import { useQueries, useQuery } from '@tanstack/react-query';
import { keys } from '~/api/cache';
import { api } from '~/api/client';
import type { Book } from '~/api/types';
import { readTotals, type ReportTable } from '~/book/course';
import { currencyOf } from '~/book/queries';
import { subtract } from '~/lib/money';
import type { Figures } from './side';

/** The caller's own collections, with their books. */
export function useCollections() {
  return useQuery({
    queryKey: [...keys.books, 'collections'],
    queryFn: async ({ signal }) => (await api.get('/v5/collections', { signal })).data.items ?? [],
  });
}

/** A collection: the caller's own, or that of the owner of a shared book (9.19). */
export function useCollection(id: string) {
  return useQuery({
    queryKey: [...keys.books, 'collection', id],
    queryFn: async ({ signal }) => (await api.get('/v5/collections/{id}', { path: { id }, signal })).data,
  });
}

export interface CollectionBook {
  readonly book: Book;
  readonly id: string;
  readonly name: string;
  readonly currency: string;
  readonly figures: Figures | undefined;
  readonly error: unknown;
}

/** The books with their figures: what there is at the end of the period, and what moved in it. */
export function useFigures(books: readonly Book[], period: string): CollectionBook[] {
  const results = useQueries({
    queries: books.map((book) => ({
      queryKey: [...keys.book(book.id!), 'figures', period],
      enabled: book.permission !== 'RECORDER',
      queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Figures> => {
        const load = async (id: 'balance-sheet' | 'income-statement') =>
          (await api.get('/v5/books/{bookId}/reports/{id}', { path: { bookId: book.id!, id }, query: { depth: '1', ...(period ? { period } : {}) }, signal })).data as ReportTable;
        const [sheet, statement] = await Promise.all([load('balance-sheet'), load('income-statement')]);
        const [assets, liabilities] = [readTotals(sheet, 'Total assets'), readTotals(sheet, 'Total liabilities')];
        const [income, expenses] = [readTotals(statement, 'Total income'), readTotals(statement, 'Total expenses')];
        return { assets, liabilities, netWorth: subtract(assets, liabilities), income, expenses, result: subtract(income, expenses) };
      },
    })),
  });
  return books.map((book, index) => ({
    book, id: book.id!, name: book.name ?? '', currency: currencyOf(book), figures: results[index]?.data, error: results[index]?.error,
  }));
}

