import { useInfiniteQuery, useQuery, type InfiniteData } from '@tanstack/react-query';
import { keys, queryClient } from '~/api/cache';
import { api } from '~/api/client';
import type { components } from '~/api/schema';
import { fromBase64 } from '~/file/types';
import { RULES_PROPERTY } from './rules';
import { isBusy, isInterrupted, type Import, type ImportRecord, type Outcome } from './types';

export type StoredFile = components['schemas']['File'];

const POLL_MS = 700;
const PAGE = 500;
/** More pages are not read to find a single record. */
const MAX_PAGES = 20;

export const importsKey = (bookId: string) => [...keys.book(bookId), 'imports'] as const;
export const importKey = (bookId: string, id: string) => [...importsKey(bookId), id] as const;
const rulesKey = (bookId: string) => [...keys.book(bookId), 'import rules'] as const;

/** The imports of a book, newest first, in pages. */
export function useImports(bookId: string) {
  return useInfiniteQuery({
    queryKey: [...importsKey(bookId), ' all'],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }) => {
      const { data } = await api.get('/v5/books/{bookId}/imports', { path: { bookId }, cursor: pageParam || undefined, signal });
      return { items: data.items, cursor: data.cursor };
    },
    getNextPageParam: (last) => last.cursor,
  });
}

async function readImport(bookId: string, id: string, signal?: AbortSignal): Promise<Import> {
  return (await api.get('/v5/books/{bookId}/imports/{id}', { path: { bookId, id }, signal })).data;
}

/** An import. While the server works on it, it is read again and again. */
export function useImport(bookId: string, id: string) {
  return useQuery<Import>({
    queryKey: importKey(bookId, id),
    refetchInterval: ({ state }) => (state.data && isBusy(state.data.state) ? POLL_MS : false),
    queryFn: ({ signal }) => readImport(bookId, id, signal),
  });
}

/** Reads an import until the server has done its work, and shows the progress. */
export async function whenDone(bookId: string, started: Import): Promise<Import> {
  let current = started;
  for (;;) {
    queryClient.setQueryData(importKey(bookId, current.id), current);
    if (!isBusy(current.state)) return current;
    await new Promise((resolve) => { setTimeout(resolve, POLL_MS); });
    current = await readImport(bookId, current.id);
  }
}

interface RecordPage {
  readonly items: readonly ImportRecord[];
  readonly cursor: string | undefined;
}

export async function readRecords(bookId: string, id: string, outcome: Outcome | undefined, cursor: string, signal?: AbortSignal): Promise<RecordPage> {
  const { data } = await api.get('/v5/books/{bookId}/imports/{id}/records', {
    path: { bookId, id }, query: { limit: PAGE, ...(outcome ? { outcome } : {}) }, cursor: cursor || undefined, signal,
  });
  return { items: data.items, cursor: data.cursor };
}

/**
 * The records of an import. They change only when the import does, so changes of the book do not read them
 * again.
 */
export function useRecords(bookId: string, run: Import, outcome: Outcome | undefined) {
  const { id, updatedAt, state } = run;
  return useInfiniteQuery<RecordPage, Error, InfiniteData<RecordPage, string>, readonly string[], string>({
    queryKey: ['import records', bookId, id, `${state} ${updatedAt}`, outcome ?? ''],
    enabled: state !== 'READING' && (state !== 'FAILED' || isInterrupted(run)),
    staleTime: state === 'PREVIEW' ? Infinity : 0,
    gcTime: 60 * 60_000,
    // The list stays while the state changes.
    placeholderData: (rows, before) => (before?.queryKey[2] === id && before.queryKey[4] === (outcome ?? '') ? rows : undefined),
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => readRecords(bookId, id, outcome, pageParam, signal),
    getNextPageParam: (last) => last.cursor,
  });
}

interface Pages {
  readonly pages: readonly RecordPage[];
}

/** Records by number that were read of an import: those of this version, or those of the previews before. */
export function knownRecords(bookId: string, { id, updatedAt, state }: Import, which: 'current' | 'before'): ReadonlyMap<number, ImportRecord> {
  const found = new Map<number, ImportRecord>();
  for (const [key, data] of queryClient.getQueriesData<Pages>({ queryKey: ['import records', bookId, id] })) {
    const version = String(key[3]);
    const isCurrent = version === `${state} ${updatedAt}`;
    if (which === 'current' ? !isCurrent : isCurrent || !version.startsWith('PREVIEW ')) continue;
    data?.pages?.forEach(({ items }) => items.forEach((item) => found.set(item.record, item)));
  }
  return found;
}

/** Records by number, which the server lists in order only. Those far down in a long file are not found. */
export function useRecordsByNumber(bookId: string, run: Import, numbers: readonly number[]) {
  return useQuery({
    queryKey: ['import records', bookId, run.id, 'numbers', run.state, run.updatedAt, numbers.join(' ')],
    enabled: numbers.length > 0,
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const known = knownRecords(bookId, run, 'current');
      const found = new Map(numbers.flatMap((number) => (known.has(number) ? [[number, known.get(number)!] as const] : [])));
      const last = Math.max(...numbers);
      let cursor = '';
      for (let page = 0; page < MAX_PAGES && found.size < numbers.length; page += 1) {
        const read = await readRecords(bookId, run.id, undefined, cursor, signal);
        for (const item of read.items) if (numbers.includes(item.record)) found.set(item.record, item);
        if (!read.cursor || (read.items.at(-1)?.record ?? last) >= last) break;
        cursor = read.cursor;
      }
      return found;
    },
  });
}

/** The rules file of an account with its text, or null. */
export function useRules(bookId: string, accountId: string, isEnabled: boolean) {
  return useQuery({
    queryKey: [...rulesKey(bookId), accountId],
    enabled: isEnabled && accountId !== '',
    queryFn: async ({ signal }): Promise<{ readonly file: StoredFile; readonly text: string; readonly etag: string | undefined } | null> => {
      let cursor: string | undefined;
      do {
        const { data } = await api.get('/v5/books/{bookId}/files', { path: { bookId }, query: { limit: 1000 }, cursor, signal });
        const found = data.items?.find(({ properties }) => properties?.[RULES_PROPERTY]?.trim() === accountId);
        if (found) {
          const file = await api.get('/v5/books/{bookId}/files/{id}', { path: { bookId, id: found.id! }, signal });
          return { file: file.data, text: new TextDecoder().decode(fromBase64(file.data.content ?? '')), etag: file.etag };
        }
        cursor = data.cursor;
      } while (cursor);
      return null;
    },
  });
}
