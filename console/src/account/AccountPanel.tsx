import type { PanelProps } from '~/frame/registry';
import { sentence } from '~/api/problem';
import { Loading } from '~/ui/EmptyState';
import { SidePanel } from '~/ui/SidePanel';
import { EditAccount } from './EditAccount';
import { NewAccount } from './NewAccount';
import { useAccount } from './queries';
import './panels.css';

/** Creates an account (`account:new`, or `account:new-<group>`) or changes one. */
export default function AccountPanel({ id, close }: PanelProps) {
  const isNew = id === 'new' || id.startsWith('new-');
  return isNew ? <NewAccount key={id} groupId={id.slice(4)} close={close} /> : <Existing key={id} id={id} close={close} />;
}

function Existing({ id, close }: PanelProps) {
  const { data, error } = useAccount(id);
  if (data) return <EditAccount {...data} close={close} />;
  return <SidePanel title="Account" onClose={close}>{error ? <p>{sentence(error)}</p> : <Loading label="Loading the account" />}</SidePanel>;
}
