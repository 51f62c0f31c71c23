import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { formatInstant } from '~/lib/instant';
import { Button } from '~/ui/Button';
import { Icon } from '~/ui/Icon';
import { useAcceptChanges } from './actions';
import type { Reconciliation, ReconciliationChange } from './queries';

const VERBS: Record<string, string> = {
  TRANSACTION_UPDATED: 'was changed', TRANSACTION_UNCHECKED: 'was unchecked', TRANSACTION_DELETED: 'was moved to the trash', TRANSACTION_RESTORED: 'was restored',
};

export function changeText(change: ReconciliationChange): string {
  return VERBS[change.type] ?? 'was changed';
}

/** Later changes of rows that were ticked, with author and time (14.8). */
export function ChangesNote({ sheet, rows }: { readonly sheet: Reconciliation; readonly rows: readonly Transaction[] }) {
  const { pattern, book, can } = useBook();
  const accept = useAcceptChanges();
  const changes = sheet.changes ?? [];
  if (changes.length === 0) return null;
  const byId = new Map(rows.map((row) => [row.id!, row]));
  const present = changes.map(({ transactionId }) => transactionId).filter((id) => byId.has(id));
  return (
    <section className="reconcile-changes" aria-label="Later changes">
      <div>
        <p><Icon name="warning" size={14} /> {changes.length === 1 ? 'One row has' : `${changes.length} rows have`} changed since the statement was ticked</p>
        <ul>
          {changes.map((change) => (
            <li key={change.eventId} title={`Event ${change.sequence}`}>
              <bdi>{byId.get(change.transactionId)?.description || 'A row'}</bdi> {changeText(change)} by <bdi>{change.username}</bdi>, {formatInstant(change.createdAt, pattern, book.timeZone)}
            </li>
          ))}
        </ul>
      </div>
      {can('EDITOR') && present.length > 0 && (
        <Button isDisabled={accept.isPending} onPress={() => void accept.run({ id: sheet.id, ids: present })}>Accept the changes</Button>
      )}
    </section>
  );
}
