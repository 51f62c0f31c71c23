import { createContext, useContext } from 'react';
import type { Account, Book, Group, Permission } from '~/api/types';
import type { DatePattern } from '~/lib/dates';
import type { Decimal, NumberStyle } from '~/lib/money';

/** A book as views use it: with lookups and with its formats. */
export interface OpenBook {
  readonly id: string;
  readonly book: Book;
  readonly accounts: readonly Account[];
  readonly groups: readonly Group[];
  readonly accountById: ReadonlyMap<string, Account>;
  readonly groupById: ReadonlyMap<string, Group>;
  readonly numbers: NumberStyle;
  readonly pattern: DatePattern;
  /** The book property `currency`, or ''. */
  readonly currency: string;
  /** Today in the zone of the book. */
  readonly today: string;
  /** The month that begins a fiscal year, 1 to 12. */
  readonly fiscalStart: number;
  /** Days up to this one are locked (3.5.1), or ''. */
  readonly lockedUntil: string;
  readonly money: (value: Decimal) => string;
  readonly day: (day: string | null | undefined) => string;
  /** Whether the caller has at least this permission. A RECORDER has less than a VIEWER here. */
  readonly can: (permission: Permission) => boolean;
}

export const BookContext = createContext<OpenBook | undefined>(undefined);

/** The book of the current view. Only for views whose route has `:bookId`. */
export function useBook(): OpenBook {
  const book = useContext(BookContext);
  if (!book) throw new Error('useBook outside of a book');
  return book;
}

/** The book of the current view, or undefined on pages outside of books. */
export function useOptionalBook(): OpenBook | undefined {
  return useContext(BookContext);
}
