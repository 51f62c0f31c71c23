import { bookPath } from '~/book/paths';

/** The history of a book, or of one of its resources. */
export function historyPath(bookId: string, resourceId = ''): string {
  return bookPath(bookId, 'history') + (resourceId && `?${new URLSearchParams({ resource: resourceId })}`);
}
