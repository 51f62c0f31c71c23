import { Suspense } from 'react';
import { useQueryState } from '~/lib/router';
import { Loading } from '~/ui/EmptyState';
import { useShortcut } from '~/ui/shortcuts';
import { panels } from './registry';
import '~/ui/SidePanel.css';

/** The side panel that `?panel=kind:id` names. Escape closes it. */
export function Panel() {
  const [value, setPanel] = useQueryState('panel');
  const [kind = '', ...rest] = value.split(':');
  const panel = panels.get(kind);
  const close = () => setPanel(null);
  useShortcut('panel-close', close, panel !== undefined);
  if (!panel) return null;
  const id = rest.join(':');
  return (
    <aside className="panel" aria-label={panel.title}>
      <Suspense fallback={<Loading />}>
        <panel.Component key={value} id={id} close={close} />
      </Suspense>
    </aside>
  );
}
