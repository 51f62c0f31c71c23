import { useUser } from '~/book/queries';
import { useBook } from '~/book/types';
import { listOf } from '~/export/csv';
import { ListMenu } from '~/export/ListMenu';
import { useQueryState } from '~/lib/router';
import { Button } from '~/ui/Button';
import { ConfirmButton } from '~/ui/Confirm';
import { CheckField } from '~/ui/fields/ChoiceField';
import { ChoiceField } from '~/ui/fields/ChoiceField';
import { Section } from '~/ui/Section';
import { formatInstant } from '~/ui/times';
import { useUninstall, useUpdateIntegration } from './actions';
import { INTEGRATION_COLUMNS } from './listing';
import type { Integration } from './queries';

const REACH = { BOOK: 'this book only', COLLECTION: 'this book and its collection', ALL: 'all books of the person who installed it' } as const;
const REACH_CHOICES = (Object.keys(REACH) as (keyof typeof REACH)[]).map((value) => ({ value, label: `Reaches ${REACH[value]}` }));

const PAUSES = {
  FAILURES: 'All its deliveries failed for three days.',
  OPERATOR: 'The operator of the server paused it, and alone can resume it.',
} as const;

export function InstalledApps({ integrations, selected, backlog }: { readonly integrations: readonly Integration[]; readonly selected: string; readonly backlog: number }) {
  return (
    <Section
      title="Installed"
      lead={integrations.length === 0 ? 'No apps work in this book. An app receives the events that it subscribes to, acts over the API, and answers.' : undefined}
      actions={integrations.length > 0 && <ListMenu what="the apps" list={() => listOf(INTEGRATION_COLUMNS, integrations)} />}
    >
      {backlog > 0 && <p role="status">{backlog} {backlog === 1 ? 'event waits' : 'events wait'} for a delivery.</p>}
      {integrations.length > 0 && (
        <ul className="apps-list" aria-label="Installed apps">
          {integrations.map((integration) => <Row key={integration.id} integration={integration} isSelected={integration.agentId === selected} />)}
        </ul>
      )}
    </Section>
  );
}

function Row({ integration, isSelected }: { readonly integration: Integration; readonly isSelected: boolean }) {
  const { book, can } = useBook();
  const { data: user } = useUser();
  const [, setSelected] = useQueryState('app');
  const uninstall = useUninstall();
  const resume = useUpdateIntegration(`${integration.name} receives events again`);
  const update = useUpdateIntegration(`Changed ${integration.name}`);
  const id = integration.id!;
  const reach = integration.reach ?? 'COLLECTION';
  return (
    <li className="apps-line">
      <div className="apps-text">
        <p>
          <strong><bdi>{integration.name}</bdi></strong> <span className="muted"><bdi>{integration.agentId}</bdi></span>
          {integration.pauseCause && <> <span className="badge badge-warning">paused</span></>}
        </p>
        {integration.pauseCause && <p>Paused since {formatInstant(integration.pausedAt, book.timeZone)}. {PAUSES[integration.pauseCause]} Its events wait for at most 30 days.</p>}
        <p className="muted">
          Installed by <bdi>{integration.addedBy}</bdi>, {formatInstant(integration.createdAt, book.timeZone)}. It reaches {REACH[reach]}.
        </p>
        {isSelected && can('EDITOR') && (
          <div className="form-line">
            {integration.userId === user?.id && (
              <ChoiceField label={`Reach of ${integration.name}`} isCompact value={reach} choices={REACH_CHOICES} isDisabled={update.isPending} onChange={(next) => void update.run({ id, reach: next })} />
            )}
            <CheckField label="Also receives what it caused itself" value={integration.ownEvents ?? true} isDisabled={update.isPending} onChange={(ownEvents) => void update.run({ id, ownEvents })} />
          </div>
        )}
      </div>
      {can('EDITOR') && (
        <div className="actions">
          {!isSelected && <Button aria-label={`Deliveries to ${integration.name}`} onPress={() => setSelected(integration.agentId!)}>Deliveries</Button>}
          {integration.pauseCause === 'FAILURES' && (
            <Button look="primary" aria-label={`Resume ${integration.name}`} isDisabled={resume.isPending} onPress={() => void resume.run({ id })}>Resume</Button>
          )}
          <ConfirmButton label="Remove" name={`Remove ${integration.name}`} look="danger" question={`Remove ${integration.name}?`} confirm="Remove the app" isDisabled={uninstall.isPending} onConfirm={() => void uninstall.run(integration)}>
            It gets no more events, and those that wait are dropped. What it has recorded stays.
          </ConfirmButton>
        </div>
      )}
    </li>
  );
}
