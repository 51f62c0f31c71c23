import { sentence } from '~/api/problem';
import { useBook } from '~/book/types';
import { ConfirmButton } from '~/ui/Confirm';
import { Notice, Section } from '~/ui/Section';
import { typeLabel } from '~/history/eventText';
import { useInstall } from './actions';
import { useApps, type App, type Integration } from './queries';

/** Apps of this server that are not installed in the book. */
export function AvailableApps({ integrations }: { readonly integrations: readonly Integration[] }) {
  const { can } = useBook();
  const { data: apps = [], error } = useApps();
  const installed = new Set(integrations.map((integration) => integration.agentId));
  const available = apps.filter((app) => !installed.has(app.id) && app.installable !== false);
  return (
    <Section
      title="Available"
      lead={available.length > 0 ? undefined : <>No other apps on this server. To add one, send its manifest to <code>POST /v5/apps</code>; the guide <em>Apps</em> builds a bot in ten minutes.</>}
    >
      {error && <Notice tone="error">{sentence(error)}</Notice>}
      {available.length > 0 && (
        <ul className="apps-list" aria-label="Available apps">{available.map((app) => <Row key={app.id} app={app} canInstall={can('EDITOR')} />)}</ul>
      )}
    </Section>
  );
}

function Row({ app, canInstall }: { readonly app: App; readonly canInstall: boolean }) {
  const install = useInstall();
  const events = app.events ?? [];
  return (
    <li className="apps-line">
      <div className="apps-text">
        <p><strong><bdi>{app.name}</bdi></strong> <span className="muted"><bdi>{app.id}</bdi>{app.ownerName && <> by <bdi>{app.ownerName}</bdi></>}</span></p>
        {app.description && <p><bdi>{app.description}</bdi></p>}
      </div>
      {canInstall && (
        <div className="actions">
          <ConfirmButton label="Install" name={`Install ${app.name}`} question={`Install ${app.name}?`} confirm="Install" isDisabled={install.isPending} onConfirm={() => void install.run(app)}>
            <p>It acts with your permission in this book and the books of its collection.</p>
            <p>{events.length > 0 ? `It receives: ${events.map(typeLabel).join(', ')}.` : 'It receives no events.'}</p>
          </ConfirmButton>
        </div>
      )}
    </li>
  );
}
