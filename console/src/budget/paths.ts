import { bookPath } from '~/book/paths';

/** The budget of a book: its months beside the figures of the book. */
export function budgetPath(bookId: string, period = ''): string {
  return bookPath(bookId, 'budget') + (period && `?period=${period}`);
}
