import { sentence } from '~/api/problem';
import { useBook } from '~/book/types';
import { CommentSection } from '~/comment/CommentSection';
import { FileSection } from '~/file/FileSection';
import type { PanelProps } from '~/frame/registry';
import type { Transaction } from '~/api/types';
import { Button } from '~/ui/Button';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { Icon } from '~/ui/Icon';
import { Menu } from '~/ui/Menu';
import { SidePanel } from '~/ui/SidePanel';
import { useShortcut } from '~/ui/shortcuts';
import { showToast } from '~/ui/toasts';
import { useState } from 'react';
import { AnswersSection } from './AnswersSection';
import { useTransactionEvents } from './events';
import { HistorySection } from './HistorySection';
import { LegsSection } from './LegsSection';
import { useReversals } from './marks';
import { FixedFields, Origin } from './PanelFacts';
import { PanelForm, useKeptDraft } from './PanelForm';
import { useTransaction } from './queries';
import { useRowActions, type RowActions } from './rowActions';
import { STATUS_NAMES, StatusMark, statusOf } from './StatusMark';
import './TransactionPanel.css';

/** One transaction in full. `id` may end with `:comments`, which moves the focus there. */
export default function TransactionPanel({ id: place, close }: PanelProps) {
  const [id = '', part] = place.split(':');
  const { data, error } = useTransaction(id);
  const draft = useKeptDraft(id);
  const leave = () => {
    if (draft) showToast('What you typed is kept until you save or discard it.');
    close();
  };
  useShortcut('panel-close', leave);
  if (error && !data) return <SidePanel title="Transaction" onClose={close}><EmptyState title="It cannot be shown">{sentence(error)}</EmptyState></SidePanel>;
  if (!data) return <SidePanel title="Transaction" onClose={close}><Loading /></SidePanel>;
  return <Loaded row={data.transaction} etag={data.etag} onClose={leave} isCommenting={part === 'comments'} />;
}

function Loaded({ row, etag, onClose, isCommenting }: {
  readonly row: Transaction;
  readonly etag: string | undefined;
  readonly onClose: () => void;
  readonly isCommenting: boolean;
}) {
  const { can } = useBook();
  const actions = useRowActions();
  const history = useTransactionEvents(row.id!).data;
  const reversal = useReversals().get(row.id!);
  const [isChanging, setChanging] = useState(false);
  const isLocked = actions.isLocked(row);
  const isFixed = !can('POSTER') || Boolean(row.trashed) || isLocked || (Boolean(row.checked) && !isChanging);
  return (
    <SidePanel title={row.posted ? 'Transaction' : 'Draft'} actions={<PanelMenu row={row} actions={actions} />} onClose={onClose}>
      <StatusLine row={row} isLocked={isLocked} isChanging={isChanging} onChange={() => void actions.mayEdit([row]).then(setChanging)} actions={actions} />
      {isFixed ? <FixedFields row={row} /> : <PanelForm row={row} etag={etag} />}
      <LegsSection row={row} />
      <FileSection row={row} mayEdit={() => actions.mayEdit([row])} canEdit={can('POSTER') && !row.trashed && !isLocked} />
      <CommentSection transactionId={row.id!} autoFocus={isCommenting} />
      {history && <AnswersSection events={history.events} />}
      {history && <HistorySection events={history.events} isComplete={history.isComplete} />}
      <section className="panel-section"><h3>Origin</h3><Origin row={row} reversal={reversal} /></section>
    </SidePanel>
  );
}

/** The status, and the one action that leads on from it. */
function StatusLine({ row, isLocked, isChanging, onChange, actions }: {
  readonly row: Transaction;
  readonly isLocked: boolean;
  readonly isChanging: boolean;
  readonly onChange: () => void;
  readonly actions: RowActions;
}) {
  const { can, day, lockedUntil } = useBook();
  const status = statusOf(row);
  const check = can('EDITOR') && !isLocked ? () => void actions.check([row]) : undefined;
  return (
    <div className="tx-panel-status">
      <StatusMark transaction={row} isLocked={isLocked} onToggle={check} />
      <span>{STATUS_NAMES[status]}{isLocked && <>, <Icon name="lock" size={12} /> locked up to {day(lockedUntil)}</>}</span>
      {can('POSTER') && isLocked && <Button onPress={() => void actions.reverse([row])}>Reverse</Button>}
      {can('EDITOR') && !isLocked && status === 'checked' && !isChanging && <Button onPress={onChange}>Change</Button>}
      {can('POSTER') && status === 'draft' && <Button look="primary" onPress={() => void actions.post([row])}>Post</Button>}
      {can('POSTER') && status === 'trashed' && <Button look="primary" onPress={() => void actions.trash([row])}>Restore</Button>}
    </div>
  );
}

function PanelMenu({ row, actions }: { readonly row: Transaction; readonly actions: RowActions }) {
  const { can } = useBook();
  if (!can('POSTER')) return null;
  const entries = [
    { id: 'duplicate', label: 'Duplicate to today', run: () => void actions.duplicate([row]) },
    ...(row.posted && !row.trashed ? [{ id: 'reverse', label: 'Reverse', run: () => void actions.reverse([row]) }] : []),
    { id: 'trash', label: row.trashed ? 'Restore' : 'Move to the trash', run: () => void actions.trash([row]) },
  ];
  return <Menu label="Actions on the transaction" trigger={<Button look="ghost" icon="more" aria-label="Actions on the transaction" />} entries={entries} />;
}
