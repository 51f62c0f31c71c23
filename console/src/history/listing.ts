/** The event log as a file: the events of the filters, newest first. */
import { api } from '~/api/client';
import { rfc3339, type Column, type Listing } from '~/export/csv';
import { plainText } from '~/lib/plainText';
import { differencesOf, sentenceOf, type Event, type EventFormats } from './eventText';
import { eventQuery, type EventFilter } from './queries';

/** Days and amounts are written as the API has them, whatever the formats of the book. */
type Names = Pick<EventFormats, 'account' | 'group'>;

export function eventColumns({ account, group }: Names): readonly Column<Event>[] {
  const formats: EventFormats = { account, group, day: (iso) => iso, amount: (plain) => plain, from: 'From', to: 'To' };
  return [
    { key: 'sequence', of: ({ sequence }) => sequence },
    { key: 'createdAt', of: ({ createdAt }) => rfc3339(createdAt) },
    { key: 'type', of: ({ type }) => type },
    { key: 'username', of: ({ user }) => user.username },
    { key: 'name', of: ({ user }) => user.name },
    { key: 'agentId', of: ({ agent }) => agent.id },
    { key: 'text', of: (event) => text(event, formats) },
    { key: 'changes', of: (event) => differencesOf(event, formats).map(({ field, before, after }) => `${field}: ${before} → ${after}`).join('\n') },
    { key: 'responses', of: ({ botResponses }) => botResponses.map(({ agentId, type, message }) => `${agentId} ${type}: ${plainText(message ?? '')}`).join('\n') },
    { key: 'resource', of: ({ resource }) => resource },
    { key: 'id', of: ({ id }) => id },
    { key: 'hash', of: ({ hash }) => hash },
  ];
}

function text(event: Event, formats: EventFormats): string {
  const { verb, name, detail } = sentenceOf(event, formats);
  return [verb, name, detail].filter(Boolean).join(' ');
}

/** The most events that the server sends at a time. */
const PAGE = 200;

/** All events of the filters. Those of others than `by` are left out here, because listEvents does not know authors. */
export function eventListing(bookId: string, filter: EventFilter, by: string, names: Names): Listing<Event> {
  return {
    columns: eventColumns(names),
    read: async (cursor, signal) => {
      const { data } = await api.get('/v5/books/{bookId}/events', { path: { bookId }, query: { ...eventQuery(filter), limit: PAGE }, cursor, signal });
      const items = data.items ?? [];
      return { items: by ? items.filter(({ user }) => user.username === by) : items, cursor: data.cursor };
    },
  };
}
