import { bookPath } from '~/book/paths';

/** The start of an import and the earlier ones; `account` is that of the statement. */
export function importsPath(bookId: string, account = ''): string {
  return bookPath(bookId, 'imports') + (account && `?${new URLSearchParams({ account })}`);
}

export function importPath(bookId: string, importId: string, params: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(params).toString();
  return bookPath(bookId, `imports/${encodeURIComponent(importId)}`) + (search && `?${search}`);
}
