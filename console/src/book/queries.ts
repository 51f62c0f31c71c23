import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { keys } from '~/api/cache';
import { api } from '~/api/client';
import type { Book, Permission } from '~/api/types';
import { today, type DatePattern } from '~/lib/dates';
import { formatMoney, type NumberStyle } from '~/lib/money';
import { formatDay } from '~/lib/dates';
import type { OpenBook } from './types';

export function useBooks() {
  return useQuery({
    queryKey: keys.books,
    queryFn: async ({ signal }) => (await api.get('/v5/books', { signal })).data.items ?? [],
  });
}

export function useUser() {
  return useQuery({
    queryKey: keys.user,
    staleTime: 5 * 60_000,
    queryFn: async ({ signal }) => (await api.get('/v5/user', { signal })).data,
  });
}

/** Books that were deleted and can be restored (6.22). */
export function useDeletedBooks() {
  return useQuery({
    queryKey: [...keys.books, 'deleted'],
    queryFn: async ({ signal }) => (await api.get('/v5/books', { query: { deleted: true }, signal })).data.items ?? [],
  });
}

export interface Starter {
  readonly name: string;
  readonly description: string;
  /** Groups, accounts and settings: a body of createNewBook without a name. */
  readonly book: Book;
}

/** The starter charts of the server that have a body for a new book; older servers have none. */
export function useTemplates() {
  return useQuery({
    queryKey: keys.templates,
    staleTime: Infinity,
    queryFn: async ({ signal }) =>
      ((await api.get('/v5/templates', { signal })).data.items ?? []).flatMap(({ name, description, book }): Starter[] =>
        name && book ? [{ name, description: description ?? '', book: book as Book }] : [],
      ),
  });
}

/** The settings of a book with the ETag for changes to them. */
export function useBookSettings(bookId: string) {
  return useQuery({
    queryKey: [...keys.book(bookId), 'settings'],
    queryFn: async ({ signal }) => {
      const { data, etag } = await api.get('/v5/books/{bookId}', { path: { bookId }, signal });
      return { book: data, etag };
    },
  });
}

/** The number of drafts in a book that need not be open. Lists ask for visible rows only. */
export function useDraftCount(bookId: string, enabled = true) {
  const query = 'is:draft';
  return useQuery({
    queryKey: keys.count(bookId, query),
    enabled,
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const { data } = await api.get('/v5/books/{bookId}/transactions/count', { path: { bookId }, query: { query }, signal });
      return { total: data.total ?? 0, warnings: data.warnings ?? [] };
    },
  });
}

/** Loads a book with its accounts and groups. */
export function useOpenBook(bookId: string) {
  const query = useQuery({
    queryKey: keys.bookWithAccounts(bookId),
    queryFn: async ({ signal }) => {
      const { data } = await api.get('/v5/books/{bookId}', { path: { bookId }, query: { loadAccounts: true }, signal });
      return data;
    },
  });
  const book = useMemo(() => (query.data ? open(query.data) : undefined), [query.data]);
  return { book, error: query.error, isLoading: query.isLoading };
}

const RANK: Record<Permission, number> = { NONE: 0, RECORDER: 1, VIEWER: 2, POSTER: 3, EDITOR: 4, OWNER: 5 };
const MONTHS = ['JANUARY', 'FEBRUARY', 'MARCH', 'APRIL', 'MAY', 'JUNE', 'JULY', 'AUGUST', 'SEPTEMBER', 'OCTOBER', 'NOVEMBER', 'DECEMBER'];

export function numberStyle(book: Book): NumberStyle {
  return { decimalSeparator: book.decimalSeparator === 'COMMA' ? 'COMMA' : 'DOT', fractionDigits: book.fractionDigits ?? 2 };
}

export function currencyOf(book: Book): string {
  return book.properties?.['currency'] ?? book.properties?.['exc_code'] ?? book.properties?.['commodity'] ?? '';
}

function open(book: Book): OpenBook {
  const accounts = book.accounts ?? [];
  const groups = book.groups ?? [];
  const numbers = numberStyle(book);
  const pattern = (book.datePattern ?? 'dd/MM/yyyy') as DatePattern;
  const rank = RANK[book.permission ?? 'NONE'];
  return {
    id: book.id!,
    book,
    accounts,
    groups,
    accountById: new Map(accounts.map((account) => [account.id!, account])),
    groupById: new Map(groups.map((group) => [group.id!, group])),
    numbers,
    pattern,
    currency: currencyOf(book),
    today: today(book.timeZone),
    fiscalStart: Math.max(1, MONTHS.indexOf(book.periodStartMonth ?? '') + 1),
    lockedUntil: [book.lockDate ?? '', book.closingDate ?? ''].sort().at(-1)!,
    money: (value) => formatMoney(value, numbers),
    day: (day) => (day ? formatDay(day, pattern) : ''),
    can: (permission) => rank >= RANK[permission],
  };
}
