/** How the server reads a typed line (behaviour 3.15), while it is typed. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { keys, queryClient } from '~/api/cache';
import { api } from '~/api/client';
import { isProblem } from '~/api/problem';
import type { components } from '~/api/schema';

export type Preview = components['schemas']['TransactionPreview'];

const DEBOUNCE_MS = 140;
/** Servers before the preview answer 404 or 405. They are asked once. */
let isOffered = true;

function previewQuery(bookId: string, sent: string) {
  return {
    queryKey: [...keys.book(bookId), 'preview', sent],
    staleTime: 10_000,
    gcTime: 30_000,
    // Without a network the line fails at once and comes back to the field, instead of waiting unseen.
    networkMode: 'always' as const,
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Preview | null> => {
      if (!isOffered) return null;
      try {
        return (await api.post('/v5/books/{bookId}/transactions/preview', { path: { bookId }, body: { description: sent }, signal })).data;
      } catch (error) {
        if (!isProblem(error) || (error.status !== 404 && error.status !== 405)) throw error;
        isOffered = false;
        return null;
      }
    },
  };
}

export interface PreviewState {
  /** Absent before the first answer, and on servers without preview. */
  readonly preview: Preview | undefined;
  /** The line that was read; tokens are offsets into it. */
  readonly readLine: string;
  readonly error: unknown;
  /** Whether the line as it stands is read already. */
  readonly isCurrent: boolean;
}

interface LastRead {
  readonly line: string;
  readonly preview: Preview;
}

/** Asks when typing pauses. A newer line aborts the request of an older one. */
export function usePreview(bookId: string, sent: string): PreviewState {
  const debounced = useDebounced(sent, DEBOUNCE_MS);
  const { data, error } = useQuery({ ...previewQuery(bookId, debounced), enabled: debounced !== '' && debounced === sent });
  const [last, setLast] = useState<LastRead>();
  useEffect(() => {
    if (data && debounced) setLast({ line: debounced, preview: data });
  }, [data, debounced]);
  const isCurrent = debounced === sent;
  if (isCurrent && data) return { preview: data, readLine: sent, error: undefined, isCurrent: true };
  // While the answer is on its way, the older reading stays.
  if (sent && last && !error) return { preview: last.preview, readLine: last.line, error: undefined, isCurrent: false };
  return { preview: undefined, readLine: '', error: isCurrent && sent ? error : undefined, isCurrent: isCurrent && data !== undefined };
}

/** The reading of exactly this line, from the cache or from the server; undefined when it cannot be had. */
export async function readLine(bookId: string, sent: string): Promise<Preview | undefined> {
  try {
    return (await queryClient.fetchQuery(previewQuery(bookId, sent))) ?? undefined;
  } catch {
    // Recording it shows the reason.
    return undefined;
  }
}

function useDebounced(value: string, delay: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), value ? delay : 0);
    return () => clearTimeout(timer);
  }, [value, delay]);
  return settled;
}
