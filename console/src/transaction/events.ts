/** The events of a transaction and the answers that apps gave to them. */
import { useQuery } from '@tanstack/react-query';
import { keys } from '~/api/cache';
import { api } from '~/api/client';
import { useBook } from '~/book/types';
import { useAction } from '~/ui/actions';

const SHOWN = 100;
/** Apps answer soon after an event, which is no event itself. */
const ANSWER_WAIT_MS = 60_000;
const ANSWER_POLL_MS = 2000;

export function useTransactionEvents(id: string) {
  const { id: bookId, can } = useBook();
  const apps = useAppNames(can('VIEWER'));
  return useQuery({
    queryKey: [...keys.transaction(bookId, id), 'events'],
    enabled: can('VIEWER'),
    queryFn: async ({ signal }) => {
      const { data } = await api.get('/v5/books/{bookId}/events', { path: { bookId }, query: { resourceId: id, limit: SHOWN }, signal });
      return { events: data.items, isComplete: !data.cursor };
    },
    refetchInterval: ({ state: { data } }) => {
      const newest = Number(data?.events[0]?.createdAt ?? 0);
      return apps.size > 0 && Date.now() - newest < ANSWER_WAIT_MS ? ANSWER_POLL_MS : false;
    },
  });
}

/** Names of the apps of the book by agent id. */
export function useAppNames(enabled: boolean): ReadonlyMap<string, string> {
  const { id: bookId } = useBook();
  const { data } = useQuery({
    queryKey: [...keys.book(bookId), 'app-names'],
    enabled,
    staleTime: 5 * 60_000,
    queryFn: async ({ signal }) => {
      const { data: apps } = await api.get('/v5/books/{bookId}/apps', { path: { bookId }, signal });
      return new Map((apps.items ?? []).map((app) => [app.id!, app.name ?? app.id!]));
    },
  });
  return data ?? new Map<string, string>();
}

interface ReplayInput {
  readonly eventId: string;
  readonly agentId: string;
  readonly name: string;
}

/** Delivers an event to an app again, in one attempt. */
export function useReplay() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: ({ name }: ReplayInput) => `${name} got the event again`,
    run: ({ eventId, agentId }, idempotencyKey) =>
      api.put('/v5/books/{bookId}/events/{id}/responses/{agentId}', { path: { bookId, id: eventId, agentId }, idempotencyKey }),
  });
}
