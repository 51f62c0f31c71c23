/** Instants of the API, which are milliseconds as text, for people. */
import type { Book } from '~/api/types';
import { daysBetween, formatDay, today, type DatePattern } from '~/lib/dates';

/** The day of an instant in the zone and pattern of its book; '' when absent. */
export function instantDay(milliseconds: string | undefined, book: Pick<Book, 'timeZone' | 'datePattern'>): string {
  if (!milliseconds) return '';
  return formatDay(today(book.timeZone, new Date(Number(milliseconds))), (book.datePattern ?? 'dd/MM/yyyy') as DatePattern);
}

/** How long ago an instant is, for lists: `now`, `5 min ago`, `3 h ago`, `yesterday`, `12 days ago`, else the day. */
export function instantAgo(milliseconds: string | undefined, book: Pick<Book, 'timeZone' | 'datePattern'>, now: number = Date.now()): string {
  if (!milliseconds) return '';
  const minutes = Math.floor((now - Number(milliseconds)) / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes} min ago`;
  const days = daysBetween(today(book.timeZone, new Date(Number(milliseconds))), today(book.timeZone, new Date(now)));
  if (days === 0) return `${Math.floor(minutes / 60)} h ago`;
  if (days === 1) return 'yesterday';
  return days < 30 ? `${days} days ago` : instantDay(milliseconds, book);
}
