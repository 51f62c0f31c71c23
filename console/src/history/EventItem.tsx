import { useState } from 'react';
import { accountPath, groupPath } from '~/book/paths';
import { useBook } from '~/book/types';
import { withParams } from '~/lib/router';
import { plainText } from '~/lib/plainText';
import { Button } from '~/ui/Button';
import { Link } from '~/ui/Link';
import { timeOf } from './days';
import { differencesOf, sentenceOf, type Event } from './eventText';
import { historyPath } from './paths';
import { useEventFormats } from './useEventFormats';

/** One event: who did what, what changed, and on request its number and hash. */
export function EventItem({ event }: { readonly event: Event }) {
  const { id: bookId, book } = useBook();
  const formats = useEventFormats();
  const [isOpen, setOpen] = useState(false);
  const { verb, name, detail } = sentenceOf(event, formats);
  const differences = differencesOf(event, formats);
  const target = targetOf(bookId, event);
  const app = event.agent.id !== 'api' ? (event.agent.name ?? event.agent.id) : '';
  return (
    <li className="history-event">
      <div className="history-line">
        <time className="muted history-time" dateTime={event.createdOn}>{timeOf(event.createdAt, book.timeZone)}</time>
        <p className="history-sentence">
          <strong><bdi>{event.user.name || event.user.username}</bdi></strong>{app && <span className="muted"> with <bdi>{app}</bdi></span>} {verb}{' '}
          {target ? <Link to={target}><bdi>{name}</bdi></Link> : <bdi>{name}</bdi>}
          {detail && <span className="muted"> <bdi>{detail}</bdi></span>}
        </p>
        <Button look="ghost" icon={isOpen ? 'down' : 'right'} aria-label={`Details of event ${event.sequence}`} aria-expanded={isOpen} onPress={() => setOpen(!isOpen)} />
      </div>
      {differences.length > 0 && (
        <ul className="history-differences">
          {differences.map(({ field, before, after }) => (
            <li key={field}>
              <span className="muted"><bdi>{field}</bdi></span>{' '}
              {before ? <del><bdi>{before}</bdi></del> : <span className="muted">empty</span>}{' '}
              <span aria-hidden="true">→</span><span className="hidden-visually">became</span>{' '}
              {after ? <ins><bdi>{after}</bdi></ins> : <span className="muted">empty</span>}
            </li>
          ))}
        </ul>
      )}
      {event.botResponses.length > 0 && (
        <ul className="history-differences">
          {event.botResponses.map((response) => (
            <li key={response.agentId}>
              <span className={`badge ${response.type === 'ERROR' ? 'badge-error' : response.type === 'WARNING' ? 'badge-warning' : ''}`}><bdi>{response.agentId}</bdi>{response.type === 'INFO' ? '' : `: ${response.type === 'ERROR' ? 'error' : 'warning'}`}</span>{' '}
              <bdi className="history-answer">{plainText(response.message ?? '')}</bdi>
            </li>
          ))}
        </ul>
      )}
      {isOpen && (
        <dl className="history-details">
          <dt>Event</dt><dd>{event.sequence}</dd>
          <dt>Hash</dt><dd><code>{event.hash}</code></dd>
          <dt>Item</dt><dd><Link to={historyPath(bookId, event.resource)}>All events of this item</Link></dd>
        </dl>
      )}
    </li>
  );
}

/** Where the resource of an event is shown, as far as it can still exist. */
function targetOf(bookId: string, event: Event): string | undefined {
  if (event.type.startsWith('TRANSACTION_')) return withParams({ panel: `transaction:${event.resource}` });
  if (event.type === 'ACCOUNT_CREATED' || event.type === 'ACCOUNT_UPDATED') return accountPath(bookId, event.resource);
  if (event.type === 'GROUP_CREATED' || event.type === 'GROUP_UPDATED') return groupPath(bookId, event.resource);
  return undefined;
}
