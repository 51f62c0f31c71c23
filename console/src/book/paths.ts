/** Paths of views, for links and navigation. Ids are encoded; queries become `?q=`. */

export function bookPath(bookId: string, view = ''): string {
  return `/b/${encodeURIComponent(bookId)}${view && `/${view}`}`;
}

/** The view that opens when a book is chosen. */
export function bookHomePath(bookId: string): string {
  return bookPath(bookId);
}

export function newBookPath(template = ''): string {
  return '/books/new' + (template && `?${new URLSearchParams({ template })}`);
}

export function settingsPath(bookId: string): string {
  return bookPath(bookId, 'settings');
}

export function accountPath(bookId: string, accountId: string): string {
  return bookPath(bookId, `accounts/${encodeURIComponent(accountId)}`);
}

export function groupPath(bookId: string, groupId: string): string {
  return bookPath(bookId, `groups/${encodeURIComponent(groupId)}`);
}

export function transactionsPath(bookId: string, query = ''): string {
  return bookPath(bookId, 'transactions') + (query && `?${new URLSearchParams({ q: query })}`);
}
