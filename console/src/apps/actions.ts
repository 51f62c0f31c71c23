/** Writes on installed apps and their deliveries. */
import { api } from '~/api/client';
import { useBook } from '~/book/types';
import { useAction } from '~/ui/actions';
import type { Event } from '~/history/eventText';
import type { App, Integration } from './queries';

export function useInstall() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: (app: App) => `Installed ${app.name}`,
    run: async (app, idempotencyKey) =>
      (await api.post('/v5/books/{bookId}/integrations', { path: { bookId }, body: { agentId: app.id! }, idempotencyKey })).data,
    undo: (_app, result, idempotencyKey) =>
      api.delete('/v5/books/{bookId}/integrations/{id}', { path: { bookId, id: result.id! as never }, idempotencyKey }),
  });
}

export function useUninstall() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: (integration: Integration) => `Removed ${integration.name}`,
    run: (integration, idempotencyKey) =>
      api.delete('/v5/books/{bookId}/integrations/{id}', { path: { bookId, id: integration.id! as never }, idempotencyKey }),
  });
}

/** Changes settings of an installed app. Any update also ends a pause after failures (8.19). */
export function useUpdateIntegration(done: string) {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: (_changes: Pick<Integration, 'id' | 'reach' | 'ownEvents'>) => done,
    run: (body, idempotencyKey) => api.put('/v5/books/{bookId}/integrations', { path: { bookId }, body, idempotencyKey }),
  });
}

interface ResponseInput {
  readonly eventId: string;
  readonly agentId: string;
}

/** Delivers an event again, now, and waits for the answer. */
export function useReplay() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: ({ agentId }: ResponseInput, event: Event) => {
      const answer = event.botResponses.find((response) => response.agentId === agentId);
      return answer?.type === 'ERROR' ? `${agentId} failed again` : `${agentId} has the event`;
    },
    run: async ({ eventId, agentId }, idempotencyKey) =>
      (await api.put('/v5/books/{bookId}/events/{id}/responses/{agentId}', { path: { bookId, id: eventId, agentId }, idempotencyKey })).data,
  });
}

/** Removes an answer from its event. */
export function useDismiss() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: ({ agentId }: ResponseInput) => `Removed the answer of ${agentId}`,
    run: ({ eventId, agentId }, idempotencyKey) =>
      api.delete('/v5/books/{bookId}/events/{id}/responses/{agentId}', { path: { bookId, id: eventId, agentId }, idempotencyKey }),
  });
}

/** Delivers events again to the apps that failed, in the background. */
export function useReplayFailed() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: (ids: readonly string[]) => `${ids.length} ${ids.length === 1 ? 'event is' : 'events are'} delivered again`,
    run: (ids, idempotencyKey) =>
      api.patch('/v5/books/{bookId}/events/replay/batch', {
        // Only the ids are read.
        path: { bookId }, query: { errorsOnly: true }, body: { items: ids.map((id) => ({ id })) } as never, idempotencyKey,
      }),
  });
}
