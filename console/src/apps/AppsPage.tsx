import { isProblem, sentence } from '~/api/problem';
import { useBook } from '~/book/types';
import { useHeaderInfo } from '~/frame/headerInfo';
import { useQueryState } from '~/lib/router';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { SectionPage } from '~/ui/Section';
import { AvailableApps } from './AvailableApps';
import { DeliveryLog } from './DeliveryLog';
import { Failures } from './Failures';
import { InstalledApps } from './InstalledApps';
import { useBacklog, useIntegrations } from './queries';
import './apps.css';

/** The apps of a book: what is installed, what failed, and every delivery. */
export default function AppsPage() {
  const { id: bookId, can } = useBook();
  const { data: integrations, error } = useIntegrations(bookId);
  const { data: backlog = 0 } = useBacklog(bookId);
  const [selected] = useQueryState('app');
  useHeaderInfo({ title: 'Apps' });
  if (isProblem(error, 'forbidden')) return <EmptyState title="The apps are not shown to you">You record in this book. Ask its owner for a permission to view.</EmptyState>;
  if (error && !integrations) return <EmptyState title="The apps cannot be loaded">{sentence(error)}</EmptyState>;
  if (!integrations) return <Loading label="Loading the apps" />;
  const agentId = selected || (integrations.length === 1 ? (integrations[0]!.agentId ?? '') : '');
  return (
    <SectionPage>
      <Failures />
      <InstalledApps integrations={integrations} selected={agentId} backlog={backlog} />
      {agentId && can('EDITOR') && <DeliveryLog agentId={agentId} name={integrations.find((each) => each.agentId === agentId)?.name ?? agentId} />}
      <AvailableApps integrations={integrations} />
    </SectionPage>
  );
}
