import { useBook } from '~/book/types';
import { historyPath } from '~/history/paths';
import { sentenceOf, type Event } from '~/history/eventText';
import { useEventFormats } from '~/history/useEventFormats';
import { Button } from '~/ui/Button';
import { Link } from '~/ui/Link';
import { Section } from '~/ui/Section';
import { formatDistance } from '~/ui/times';
import { useDismiss, useReplay, useReplayFailed } from './actions';
import { plainText } from '~/lib/plainText';
import { useFailures } from './queries';

/** Events that an app answered with an error, or not at all. First on the page, because they need somebody. */
export function Failures() {
  const { id: bookId, can } = useBook();
  const { data } = useFailures(bookId);
  const replayAll = useReplayFailed();
  if (!data || data.items.length === 0) return null;
  return (
    <Section
      title="Failed"
      lead={data.hasMore ? 'The newest 50 events that an app answered with an error, or not at all.' : 'An app answered these events with an error, or not at all.'}
      actions={can('EDITOR') && (
        <Button look="primary" isDisabled={replayAll.isPending} onPress={() => void replayAll.run(data.items.map((event) => event.id))}>Deliver all again</Button>
      )}
    >
      <ul className="apps-list" aria-label="Failed deliveries">
        {data.items.map((event) => <Failure key={event.id} event={event} />)}
      </ul>
    </Section>
  );
}

function Failure({ event }: { readonly event: Event }) {
  const { id: bookId, can } = useBook();
  const formats = useEventFormats();
  const replay = useReplay();
  const dismiss = useDismiss();
  const { verb, name } = sentenceOf(event, formats);
  return (
    <li>
      {event.botResponses.filter((response) => response.type === 'ERROR').map((response) => {
        const target = { eventId: event.id, agentId: response.agentId! };
        return (
          <div key={response.agentId} className="apps-line">
            <div className="apps-text">
              <p>
                <span className="badge badge-error"><bdi>{response.agentId}</bdi></span> <bdi>{event.user.name || event.user.username}</bdi> {verb}{' '}
                <Link to={historyPath(bookId, event.resource)}><bdi>{name}</bdi></Link> <span className="muted">{formatDistance(response.createdAt)}</span>
              </p>
              <p className="apps-answer"><bdi>{plainText(response.message ?? '')}</bdi></p>
            </div>
            {can('EDITOR') && (
              <div className="actions">
                <Button isDisabled={replay.isPending} aria-label={replay.isPending ? 'Waiting' : `Deliver again: ${name} to ${response.agentId}`} onPress={() => void replay.run(target)}>{replay.isPending ? 'Waiting' : 'Deliver again'}</Button>
                <Button look="ghost" isDisabled={dismiss.isPending} aria-label={`Dismiss the error of ${response.agentId} about ${name}`} onPress={() => void dismiss.run(target)}>Dismiss</Button>
              </div>
            )}
          </div>
        );
      })}
    </li>
  );
}
