import { useBook } from '~/book/types';
import { actionLabel, differencesOf, type Event } from '~/history/eventText';
import { useEventFormats } from '~/history/useEventFormats';
import { formatInstant } from '~/lib/instant';

/** Who did what and when, with the number of the event; changes as differences. */
export function HistorySection({ events, isComplete }: { readonly events: readonly Event[]; readonly isComplete: boolean }) {
  const { pattern, book } = useBook();
  const formats = useEventFormats();
  if (events.length === 0) return null;
  return (
    <section className="panel-section">
      <h3>History</h3>
      <ol className="tx-history">
        {events.map((event) => (
          <li key={event.id}>
            <p>
              <strong>{actionLabel(event.type)}</strong> by <bdi>{event.user.name || event.user.username}</bdi>
              {event.agent.id !== 'api' && event.agent.name && <> with <bdi>{event.agent.name}</bdi></>}
            </p>
            {differencesOf(event, formats).map(({ field, before, after }) => (
              <p key={field} className="tx-difference">
                <span className="muted"><bdi>{field}</bdi></span>{' '}
                {before && <del><bdi>{before}</bdi></del>}{' '}
                {after && <ins><bdi>{after}</bdi></ins>}
              </p>
            ))}
            <p className="muted">{formatInstant(event.createdAt, pattern, book.timeZone)} · #{event.sequence}</p>
          </li>
        ))}
      </ol>
      {!isComplete && <p className="muted">Older events are in the history of the book.</p>}
    </section>
  );
}
