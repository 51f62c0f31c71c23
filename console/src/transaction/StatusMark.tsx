import type { Transaction } from '~/api/types';
import { Icon } from '~/ui/Icon';

export type Status = 'trashed' | 'draft' | 'checked' | 'unchecked';

/** The status of behaviour 3.1.1. */
export function statusOf(transaction: Transaction): Status {
  if (transaction.trashed) return 'trashed';
  if (!transaction.posted) return 'draft';
  return transaction.checked ? 'checked' : 'unchecked';
}

const NAMES: Record<Status, string> = { trashed: 'In the trash', draft: 'Draft', checked: 'Checked', unchecked: 'Unchecked' };

/** A mark for the status; a button when it can be toggled. */
export function StatusMark({ transaction, onToggle }: { readonly transaction: Transaction; readonly onToggle?: (() => void) | undefined }) {
  const status = statusOf(transaction);
  const mark = <span className={`status status-${status}`}>{status === 'checked' && <Icon name="check" size={11} />}</span>;
  if (!onToggle || status === 'draft' || status === 'trashed') {
    return <span role="img" aria-label={NAMES[status]} title={NAMES[status]} className="status-box">{mark}</span>;
  }
  return (
    <button
      type="button"
      tabIndex={-1}
      className="status-box"
      aria-label={NAMES[status]}
      aria-pressed={status === 'checked'}
      title={`${NAMES[status]} (C)`}
      onClick={onToggle}
    >
      {mark}
    </button>
  );
}
