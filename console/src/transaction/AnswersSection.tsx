import { useBook } from '~/book/types';
import { Button } from '~/ui/Button';
import { Icon } from '~/ui/Icon';
import { useAppNames, useReplay } from './events';
import { actionLabel, type Event } from '~/history/eventText';
import { formatInstant } from '~/lib/instant';
import { plainText } from '~/lib/plainText';

const TONES: Readonly<Record<string, string>> = { ERROR: 'Error', WARNING: 'Warning', INFO: 'Answer' };

/** What apps answered to the events of a transaction, newest first, with retry. */
export function AnswersSection({ events }: { readonly events: readonly Event[] }) {
  const { can, pattern, book } = useBook();
  const replay = useReplay();
  const answers = events.flatMap((event) => event.botResponses.map((response) => ({ event, response })));
  const names = useAppNames(answers.length > 0);
  if (answers.length === 0) return null;
  return (
    <section className="panel-section">
      <h3>Answers of apps</h3>
      <ul className="tx-answers">
        {answers.map(({ event, response }) => {
          const { agentId = '', type = 'INFO' } = response;
          const name = names.get(agentId) ?? agentId;
          return (
            <li key={`${event.id} ${agentId}`} className={`tx-answer tx-answer-${type.toLowerCase()}`}>
              <div className="tx-answer-head">
                {type !== 'INFO' && <Icon name="warning" size={13} />}
                <strong><bdi>{name}</bdi></strong>
                <span>{TONES[type] ?? type}</span>
                {can('EDITOR') && (
                  <Button isDisabled={replay.isPending} onPress={() => void replay.run({ eventId: event.id, agentId, name })} aria-label={`Retry ${name}`}>Retry</Button>
                )}
              </div>
              <p className="tx-answer-text"><bdi>{plainText(response.message ?? '')}</bdi></p>
              <p className="muted">{actionLabel(event.type)} · #{event.sequence}{response.createdAt && ` · ${formatInstant(response.createdAt, pattern, book.timeZone)}`}</p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
