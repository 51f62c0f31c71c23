/** All legs of the entries that rows belong to, also those that the list does not show. */
import { api } from '~/api/client';
import type { Transaction } from '~/api/types';
import { joinQuery, term } from '~/lib/query';
import { ENTRY_ID, entryIdOf, FROM_BOOK, TO_BOOK } from './lines';

const ENTRIES_PER_QUERY = 50;
const PAGE = 1000;

export function legsQuery(entryIds: readonly string[], isTrashed = false): string {
  const terms = entryIds.map((id) => term(ENTRY_ID, id)).join(' OR ');
  return joinQuery(entryIds.length > 1 ? `(${terms})` : terms, isTrashed ? 'is:trashed' : '');
}

export async function loadLegs(bookId: string, entryIds: readonly string[], isTrashed = false): Promise<Transaction[]> {
  const found: Transaction[] = [];
  for (let start = 0; start < entryIds.length; start += ENTRIES_PER_QUERY) {
    const query = legsQuery(entryIds.slice(start, start + ENTRIES_PER_QUERY), isTrashed);
    let cursor: string | undefined;
    do {
      const { data } = await api.get('/v5/books/{bookId}/transactions', { path: { bookId }, query: { query, limit: PAGE }, cursor });
      found.push(...data.items);
      cursor = data.cursor;
    } while (cursor);
  }
  return found;
}

/** Where the other half of a transfer stands. */
export function otherHalfOf(row: Transaction, bookId: string): { readonly bookId: string; readonly entryId: string } | undefined {
  const other = [row.properties?.[FROM_BOOK], row.properties?.[TO_BOOK]].find((id) => id && id !== bookId);
  const entryId = entryIdOf(row);
  return other && entryId ? { bookId: other, entryId } : undefined;
}

/** The rows and the other legs of their entries, each once. Actions take all legs or none. */
export async function withLegs(bookId: string, rows: readonly Transaction[]): Promise<Transaction[]> {
  const all = new Map(rows.map((row) => [row.id!, row]));
  for (const isTrashed of [false, true]) {
    const ids = new Set(rows.filter((row) => Boolean(row.trashed) === isTrashed).flatMap((row) => entryIdOf(row) ?? []));
    if (ids.size === 0) continue;
    for (const leg of await loadLegs(bookId, [...ids], isTrashed)) {
      if (!all.has(leg.id!)) all.set(leg.id!, leg);
    }
  }
  return [...all.values()];
}
