import { bookPath } from '~/book/paths';

/** The list of reconciliations, with the form for the next one of the account. */
export function reconcilePath(bookId: string, accountId = ''): string {
  return bookPath(bookId, 'reconcile') + (accountId && `?account=${encodeURIComponent(accountId)}`);
}

export function sheetPath(bookId: string, id: string): string {
  return bookPath(bookId, `reconcile/${encodeURIComponent(id)}`);
}

/** The sheet for paper. */
export function printPath(bookId: string, id: string): string {
  return `${sheetPath(bookId, id)}/print`;
}

/** A sheet that is not saved yet: its account, day and closing balance are in the URL. */
export function newSheetPath(bookId: string, accountId: string, date: string, closing: string): string {
  return `${bookPath(bookId, 'reconcile/new')}?${new URLSearchParams({ account: accountId, date, closing })}`;
}
