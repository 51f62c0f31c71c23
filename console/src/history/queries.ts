import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { keys } from '~/api/cache';
import { api } from '~/api/client';
import { addDays } from '~/lib/dates';
import type { Event, EventType } from './eventText';

const PAGE = 100;

/** What the server filters. Authors are filtered in the browser, because listEvents does not know them. */
export interface EventFilter {
  readonly type: EventType | '';
  /** First and last day in the zone of the book, or ''. */
  readonly from: string;
  readonly to: string;
  readonly resource: string;
  readonly errors: boolean;
}

/** Parameters of listEvents. `before` of the API does not include its day. */
export function eventQuery({ type, from, to, resource, errors }: EventFilter) {
  return {
    ...(resource ? { resourceId: resource } : errors ? { error: true } : type ? { type } : {}),
    ...(from ? { after: from } : {}),
    ...(to ? { before: addDays(to, 1) } : {}),
  };
}

export function useEvents(bookId: string, filter: EventFilter) {
  return useInfiniteQuery({
    queryKey: [...keys.book(bookId), 'events', filter],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }) => {
      const { data } = await api.get('/v5/books/{bookId}/events', {
        path: { bookId }, query: { ...eventQuery(filter), limit: PAGE }, cursor: pageParam || undefined, signal,
      });
      return { items: data.items ?? [], cursor: data.cursor };
    },
    getNextPageParam: (last) => last.cursor,
  });
}

/** The newest event, which is the head of the chain. */
export function useHead(bookId: string) {
  return useQuery({
    queryKey: [...keys.book(bookId), 'head'],
    queryFn: async ({ signal }) => (await api.get('/v5/books/{bookId}/events', { path: { bookId }, query: { limit: 1 }, signal })).data.items?.[0] ?? null,
  });
}

/** The last audit, or null. Asks again every second while one is expected. */
export function useLastAudit(bookId: string, isExpected: boolean) {
  return useQuery({
    queryKey: [...keys.book(bookId), 'audit'],
    refetchInterval: isExpected ? 1000 : false,
    queryFn: async ({ signal }): Promise<Event | null> => {
      const { data } = await api.get('/v5/books/{bookId}/events', { path: { bookId }, query: { type: 'BOOK_AUDITED', limit: 1 }, signal });
      return data.items?.[0] ?? null;
    },
  });
}
