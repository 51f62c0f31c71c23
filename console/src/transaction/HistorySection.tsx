import { useBook } from '~/book/types';
import { decimalOrZero } from '~/lib/money';
import { useFieldNames } from './FieldChoice';
import { differencesOf, eventLabel, type Event, type HistoryFormats } from './history';
import { formatInstant } from '~/lib/instant';

/** Who did what and when, with the number of the event; changes as differences. */
export function HistorySection({ events, isComplete }: { readonly events: readonly Event[]; readonly isComplete: boolean }) {
  const { pattern, book, day, money, accountById } = useBook();
  const names = useFieldNames();
  const formats: HistoryFormats = {
    day, amount: (plain) => money(decimalOrZero(plain)), account: (id) => accountById.get(id)?.name, from: names.from, to: names.to,
  };
  if (events.length === 0) return null;
  return (
    <section className="panel-section">
      <h3>History</h3>
      <ol className="tx-history">
        {events.map((event) => (
          <li key={event.id}>
            <p>
              <strong>{eventLabel(event.type)}</strong> by <bdi>{event.user.name || event.user.username}</bdi>
              {event.agent.id !== 'api' && event.agent.name && <> with <bdi>{event.agent.name}</bdi></>}
            </p>
            {differencesOf(event, formats).map(({ name, before, after }) => (
              <p key={name} className="tx-difference">
                <span className="muted"><bdi>{name}</bdi></span>{' '}
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
