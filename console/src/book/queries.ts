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
  return book.properties?.['currency'] ?? book.properties?.['exc_code'] ?? '';
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
