import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { keys } from '~/api/cache';
import { api } from '~/api/client';
import type { components } from '~/api/schema';

export type App = components['schemas']['App'];

/** The pause of an app in a book (behaviour 8.19); both are absent without one. */
interface Pause {
  readonly pausedAt?: string;
  readonly pauseCause?: 'OPERATOR' | 'FAILURES';
}

export type Integration = components['schemas']['Integration'] & Pause;

/** A pause is no event of the book, so the page asks now and then. */
const PAUSE_POLL_MS = 15_000;

export function useIntegrations(bookId: string) {
  return useQuery({
    queryKey: [...keys.book(bookId), 'integrations'],
    refetchInterval: PAUSE_POLL_MS,
    queryFn: async ({ signal }): Promise<readonly Integration[]> => (await api.get('/v5/books/{bookId}/integrations', { path: { bookId }, signal })).data.items ?? [],
  });
}

/** Apps that the caller may install. */
export function useApps() {
  return useQuery({ queryKey: ['apps'], queryFn: async ({ signal }) => (await api.get('/v5/apps', { signal })).data.items ?? [] });
}

/** The number of events that wait for a delivery. */
export function useBacklog(bookId: string) {
  return useQuery<number>({
    queryKey: [...keys.book(bookId), 'backlog'],
    refetchInterval: ({ state }) => (Number(state.data ?? 0) > 0 ? 2000 : 15_000),
    queryFn: async ({ signal }): Promise<number> => Number((await api.get('/v5/books/{bookId}/events/backlog', { path: { bookId }, signal })).data.count ?? 0),
  });
}

/** Events with an error of an app, newest first. */
export function useFailures(bookId: string) {
  return useQuery({
    queryKey: [...keys.book(bookId), 'failures'],
    queryFn: async ({ signal }) => {
      const { data } = await api.get('/v5/books/{bookId}/events', { path: { bookId }, query: { error: true, limit: 50 }, signal });
      return { items: data.items ?? [], hasMore: Boolean(data.cursor) };
    },
  });
}

/** The delivery log of an app, newest attempt first. */
export function useDeliveries(bookId: string, agentId: string) {
  return useInfiniteQuery({
    queryKey: [...keys.book(bookId), 'deliveries', agentId],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }) => {
      const { data } = await api.get('/v5/books/{bookId}/apps/{agentId}/deliveries', { path: { bookId, agentId }, query: { limit: 100 }, cursor: pageParam || undefined, signal });
      return { items: data.items ?? [], cursor: data.cursor };
    },
    getNextPageParam: (last) => last.cursor,
  });
}
