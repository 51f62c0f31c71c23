import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { parseDecimal, sum } from '~/lib/money';
import { Button } from '~/ui/Button';
import { runShortcut } from '~/ui/shortcuts';
import type { ListState } from '~/ui/useListState';
import { plural } from './actions';

/** What can be done with the selected rows, and their total. */
export function SelectionBar({ state, rows }: { readonly state: ListState; readonly rows: readonly Transaction[] }) {
  const { money, can } = useBook();
  if (state.selected.size === 0) return null;
  const selected = rows.filter((row) => state.selected.has(row.id!));
  const total = sum(selected.map((row) => parseDecimal(row.amount ?? '0')));
  return (
    <div className="selection-bar" role="region" aria-label="Selection">
      <span>{plural(selected.length, 'row')} · <span className="muted">sum</span> {money(total)}</span>
      {can('EDITOR') && <Button shortcut="check" onPress={() => runShortcut('check')}>Check</Button>}
      {can('POSTER') && <Button shortcut="trash" onPress={() => runShortcut('trash')}>Trash</Button>}
      <Button look="ghost" icon="close" aria-label="Clear the selection" onPress={state.clear} />
    </div>
  );
}
