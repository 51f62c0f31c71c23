import type { Transaction } from '~/api/types';
import { Icon } from '~/ui/Icon';

export type Status = 'trashed' | 'draft' | 'checked' | 'unchecked';

/** The status of behaviour 3.1.1. */
export function statusOf(transaction: Transaction): Status {
  if (transaction.trashed) return 'trashed';
  if (!transaction.posted) return 'draft';
  return transaction.checked ? 'checked' : 'unchecked';
}

export const STATUS_NAMES: Record<Status, string> = { trashed: 'In the trash', draft: 'Draft', checked: 'Checked', unchecked: 'Unchecked' };

/** A mark for the status; a button when it can be toggled. */
export function StatusMark({ transaction, isLocked = false, onToggle }: {
  readonly transaction: Transaction;
  readonly isLocked?: boolean;
  readonly onToggle?: (() => void) | undefined;
}) {
  const status = statusOf(transaction);
  const name = STATUS_NAMES[status] + (isLocked ? ', locked' : '');
  const icon = status === 'checked' ? 'check' : isLocked && status === 'unchecked' ? 'lock' : undefined;
  const mark = <span className={`status status-${status} ${isLocked ? 'is-locked' : ''}`}>{icon && <Icon name={icon} size={icon === 'lock' ? 9 : 11} />}</span>;
  if (!onToggle || status === 'draft' || status === 'trashed') {
    return <span role="img" aria-label={name} title={name} className="status-box">{mark}</span>;
  }
  return (
    <button type="button" tabIndex={-1} className="status-box" aria-label={name} aria-pressed={status === 'checked'} title={`${name} (C)`} onClick={onToggle}>
      {mark}
    </button>
  );
}
