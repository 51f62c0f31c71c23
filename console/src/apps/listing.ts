/** The apps of a book, and the deliveries to one, as files. */
import { api } from '~/api/client';
import { rfc3339, type Column, type Listing } from '~/export/csv';
import { sequenceOf, type Attempt } from './deliveries';
import type { Integration } from './queries';

export const INTEGRATION_COLUMNS: readonly Column<Integration>[] = [
  { key: 'id', of: ({ id }) => id },
  { key: 'agentId', of: ({ agentId }) => agentId },
  { key: 'name', of: ({ name }) => name },
  { key: 'reach', of: ({ reach }) => reach },
  { key: 'addedBy', of: ({ addedBy }) => addedBy },
  { key: 'createdAt', of: ({ createdAt }) => rfc3339(createdAt) },
  { key: 'pauseCause', of: ({ pauseCause }) => pauseCause },
  { key: 'pausedAt', of: ({ pausedAt }) => rfc3339(pausedAt) },
];

export const ATTEMPT_COLUMNS: readonly Column<Attempt>[] = [
  { key: 'sequence', of: ({ eventId }) => sequenceOf(eventId) },
  { key: 'eventId', of: ({ eventId }) => eventId },
  { key: 'attempt', of: ({ attempt }) => attempt },
  { key: 'at', of: ({ at }) => rfc3339(at) },
  { key: 'status', of: ({ status }) => status },
  { key: 'durationMs', of: ({ durationMs }) => durationMs },
  { key: 'error', of: ({ error }) => error },
  { key: 'answer', of: ({ answer }) => answer },
];

/** All attempts to deliver events to an app, newest first. */
export function attemptListing(bookId: string, agentId: string): Listing<Attempt> {
  return {
    columns: ATTEMPT_COLUMNS,
    read: async (cursor, signal) => {
      const { data } = await api.get('/v5/books/{bookId}/apps/{agentId}/deliveries', { path: { bookId, agentId }, query: { limit: 200 }, cursor, signal });
      return { items: data.items ?? [], cursor: data.cursor };
    },
  };
}
