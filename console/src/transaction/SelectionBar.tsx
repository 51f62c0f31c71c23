import { useMemo } from 'react';
import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { parseDecimal, sum } from '~/lib/money';
import { Button } from '~/ui/Button';
import { Menu } from '~/ui/Menu';
import { runShortcut } from '~/ui/shortcuts';
import { plural } from './actions';
import { BulkForm, type BulkKind } from './BulkForm';
import type { RowActions } from './rowActions';

/** What can be done with the selected rows, and their total. */
export function SelectionBar({ rows, actions, form, onForm, onClear }: {
  readonly rows: readonly Transaction[];
  readonly actions: RowActions;
  /** The form that is open. */
  readonly form: BulkKind | undefined;
  readonly onForm: (kind: BulkKind | undefined) => void;
  readonly onClear: () => void;
}) {
  const { money, can } = useBook();
  const total = useMemo(() => sum(rows.map((row) => parseDecimal(row.amount ?? '0'))), [rows]);
  if (rows.length === 0) return null;
  const isTrash = rows.every((row) => row.trashed);
  const more = [
    { id: 'date', label: 'Change the date', run: () => onForm('date') },
    { id: 'account', label: 'Change an account', run: () => onForm('account') },
    { id: 'duplicate', label: 'Duplicate to today', run: () => runShortcut('duplicate') },
    ...(rows.some((row) => !row.posted) ? [{ id: 'post', label: 'Post drafts', run: () => runShortcut('post') }] : []),
    ...(rows.some(actions.isLocked) ? [{ id: 'reverse', label: 'Reverse', run: () => runShortcut('reverse') }] : []),
  ];
  return (
    <div className="selection-bar" role="region" aria-label="Selection">
      {form && <BulkForm key={form} kind={form} rows={rows} actions={actions} onDone={() => onForm(undefined)} />}
      <div className="selection-line">
        <Button look="ghost" icon="close" aria-label="Clear the selection" onPress={onClear} />
        <span className="selection-count">{plural(rows.length, 'row')} · <span className="muted">sum</span> {money(total)}</span>
        {!isTrash && can('EDITOR') && <Button shortcut="check" onPress={() => runShortcut('check')}>Check</Button>}
        {!isTrash && can('POSTER') && <Button shortcut="tag" onPress={() => onForm('tag')}>Tag</Button>}
        {!isTrash && can('POSTER') && rows.length === 2 && <Button shortcut="merge" onPress={() => runShortcut('merge')}>Merge</Button>}
        {can('POSTER') && <Button shortcut="trash" onPress={() => runShortcut('trash')}>{isTrash ? 'Restore' : 'Trash'}</Button>}
        {!isTrash && can('POSTER') && <Menu label="More for the selected" trigger={<Button look="ghost" icon="more" aria-label="More for the selected" />} entries={more} />}
      </div>
    </div>
  );
}
