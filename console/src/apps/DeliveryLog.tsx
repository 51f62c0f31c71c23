import { useMemo, useState } from 'react';
import { sentence } from '~/api/problem';
import { useBook } from '~/book/types';
import { ListMenu } from '~/export/ListMenu';
import { Button } from '~/ui/Button';
import { Loading } from '~/ui/EmptyState';
import { Notice, Section } from '~/ui/Section';
import { formatInstant } from '~/ui/times';
import { useReplay } from './actions';
import { groupDeliveries, outcomeOf, type Delivery } from './deliveries';
import { attemptListing } from './listing';
import { plainText } from '~/lib/plainText';
import { useDeliveries } from './queries';

/** Every attempt to deliver an event to an app, failed deliveries first. */
export function DeliveryLog({ agentId, name }: { readonly agentId: string; readonly name: string }) {
  const { id: bookId } = useBook();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useDeliveries(bookId, agentId);
  const deliveries = useMemo(() => groupDeliveries(data?.pages.flatMap((page) => page.items) ?? []), [data]);
  return (
    <Section
      title={`Deliveries to ${name}`}
      lead="Attempts of the last 30 days, failed ones first."
      actions={(
        <span className="actions">
          <Button look="ghost" onPress={() => void refetch()}>Reload</Button>
          {deliveries.length > 0 && <ListMenu what={`the deliveries to ${name}`} list={() => attemptListing(bookId, agentId)} />}
        </span>
      )}
    >
      {error && <Notice tone="error">{sentence(error)}</Notice>}
      {!data && !error && <Loading />}
      {data && deliveries.length === 0 && <p className="muted">Nothing was delivered yet.</p>}
      {deliveries.length > 0 && (
        <ul className="apps-list" aria-label={`Deliveries to ${name}`}>
          {deliveries.map((delivery) => <Row key={delivery.eventId} delivery={delivery} agentId={agentId} />)}
        </ul>
      )}
      {hasNextPage && <Button isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>Show older attempts</Button>}
    </Section>
  );
}

function Row({ delivery, agentId }: { readonly delivery: Delivery; readonly agentId: string }) {
  const { book } = useBook();
  const replay = useReplay();
  const [isOpen, setOpen] = useState(false);
  const { attempts, eventId, sequence, hasFailed } = delivery;
  const last = attempts[0]!;
  return (
    <li>
      <div className="apps-line">
        <p className="apps-text">
          <span className={`badge ${hasFailed ? 'badge-error' : ''}`}>{hasFailed ? 'failed' : 'delivered'}</span>{' '}
          Event {sequence} <span className="muted">{formatInstant(last.at, book.timeZone)} · {outcomeOf(last)}{attempts.length > 1 && ` · ${attempts.length} attempts`}</span>
          {last.error && <span className="apps-error"> <bdi>{last.error}</bdi></span>}
        </p>
        <div className="actions">
          <Button look="ghost" icon={isOpen ? 'down' : 'right'} aria-expanded={isOpen} aria-label={`Attempts of event ${sequence}`} onPress={() => setOpen(!isOpen)} />
          <Button isDisabled={replay.isPending} aria-label={replay.isPending ? 'Waiting' : `Deliver again: event ${sequence}`} onPress={() => void replay.run({ eventId, agentId })}>{replay.isPending ? 'Waiting' : 'Deliver again'}</Button>
        </div>
      </div>
      {isOpen && (
        <ol className="apps-attempts">
          {attempts.map((attempt) => (
            <li key={`${attempt.attempt} ${attempt.at}`}>
              <p>Attempt {attempt.attempt} <span className="muted">{formatInstant(attempt.at, book.timeZone)} · {outcomeOf(attempt)}</span>{attempt.error && <span className="apps-error"> <bdi>{attempt.error}</bdi></span>}</p>
              {attempt.answer && <pre className="apps-body"><bdi>{plainText(attempt.answer)}</bdi></pre>}
            </li>
          ))}
        </ol>
      )}
    </li>
  );
}
