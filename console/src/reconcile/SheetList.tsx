import { useEffect, type ReactNode } from 'react';
import type { Account, Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { useQueryState } from '~/lib/router';
import { Description } from '~/transaction/Description';
import { Button } from '~/ui/Button';
import { EmptyState } from '~/ui/EmptyState';
import { Icon } from '~/ui/Icon';
import { Cell, List } from '~/ui/List';
import { Money } from '~/ui/Money';
import { useShortcut } from '~/ui/shortcuts';
import { useListState } from '~/ui/useListState';
import { changeText } from './ChangesNote';
import type { ReconciliationChange } from './queries';
import { rowEffect } from './sheet';

export interface SheetListProps {
  readonly account: Account;
  readonly rows: readonly Transaction[];
  readonly ticked: ReadonlySet<string>;
  readonly changes: readonly ReconciliationChange[];
  readonly onTick: ((ids: readonly string[], isTicked: boolean) => void) | undefined;
  /** The day of the statement, for the text of an empty list. */
  readonly until: string;
  readonly footer: ReactNode;
}

const CONTROLS = 'input, textarea, select, button, a, summary, [role=menu], [role=listbox], [role=dialog]';

/** The rows to tick: `c` or Space ticks the row of the cursor, or all selected ones. */
export function SheetList({ account, rows, ticked, changes, onTick, until, footer }: SheetListProps) {
  const [, setPanel] = useQueryState('panel');
  const state = useListState(rows.length, (index) => rows[index]?.id ?? String(index), account.id!);
  const changed = new Map(changes.map((change) => [change.transactionId, change]));
  const tick = () => {
    const ids = state.targets();
    if (ids.length > 0) onTick?.(ids, !ids.every((id) => ticked.has(id)));
  };
  useShortcut('check', tick, onTick !== undefined);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isOwn = event.key === ' ' && !event.ctrlKey && !event.metaKey && !event.altKey && !event.defaultPrevented;
      if (!isOwn || !onTick || (event.target instanceof Element && event.target.closest(CONTROLS))) return;
      event.preventDefault();
      tick();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  });
  const all = rows.map((row) => row.id!);
  const isAll = all.length > 0 && all.every((id) => ticked.has(id));
  return (
    <>
      <List
        label={`Rows of ${account.name}`}
        name="sheet"
        columns={[
          { key: 'tick', title: <span className="hidden-visually">On the statement</span> },
          { key: 'date', title: 'Date' }, { key: 'description', title: 'Description' }, { key: 'other', title: 'Other account' },
          { key: 'in', title: 'In', isNumber: true }, { key: 'out', title: 'Out', isNumber: true },
        ]}
        state={state}
        onOpen={(index) => setPanel(`transaction:${rows[index]!.id}`)}
        rowClass={(index) => (ticked.has(rows[index]?.id ?? '') ? 'is-ticked' : '')}
        renderRow={(index) => {
          const row = rows[index];
          return row && <Cells row={row} account={account} isTicked={ticked.has(row.id!)} change={changed.get(row.id!)} onTick={onTick} />;
        }}
        empty={<EmptyState title="No rows to tick">All rows up to {until} are checked, or on another statement.</EmptyState>}
      />
      <div className="reconcile-foot">
        {onTick && all.length > 0 && <Button onPress={() => onTick(all, !isAll)}>{isAll ? 'Untick all' : 'Tick all'}</Button>}
        {onTick && all.length > 0 && <span className="muted reconcile-keys"><kbd>Space</kbd> or <kbd>C</kbd> ticks, <kbd>J</kbd> and <kbd>K</kbd> move</span>}
        {footer}
      </div>
    </>
  );
}

function Cells({ row, account, isTicked, change, onTick }: {
  readonly row: Transaction;
  readonly account: Account;
  readonly isTicked: boolean;
  readonly change: ReconciliationChange | undefined;
  readonly onTick: SheetListProps['onTick'];
}) {
  const { day, numbers } = useBook();
  const value = rowEffect(row, account);
  const other = row.creditAccount?.id === account.id ? row.debitAccount : row.creditAccount;
  const isIn = value.units >= 0n;
  const amount = <Money value={isIn ? value : { units: -value.units, scale: value.scale }} style={numbers} />;
  return (
    <>
      <Cell className="sheet-tick">
        <button
          type="button"
          tabIndex={-1}
          role="checkbox"
          aria-checked={isTicked}
          aria-label={`On the statement: ${row.description ?? ''}`}
          disabled={!onTick}
          className="status-box"
          onClick={() => onTick?.([row.id!], !isTicked)}
        >
          <span className={`sheet-box ${isTicked ? 'is-on' : ''}`}>{isTicked && <Icon name="check" size={11} />}</span>
        </button>
      </Cell>
      <Cell className="sheet-date">{day(row.date)}</Cell>
      <Cell className="sheet-description" title={row.description ?? undefined}>
        {change && <span className="sheet-changed" role="img" aria-label={`It ${changeText(change)} by ${change.username}`}><Icon name="warning" size={13} /></span>}
        <Description text={row.description ?? ''} tags={row.tags ?? []} />
      </Cell>
      <Cell className="sheet-other" title={other?.name}><bdi>{other?.name}</bdi></Cell>
      <Cell isNumber className="sheet-in">{isIn && amount}</Cell>
      <Cell isNumber className="sheet-out">{!isIn && amount}</Cell>
    </>
  );
}
