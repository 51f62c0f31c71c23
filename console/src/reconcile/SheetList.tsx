import { useEffect, useMemo, type ReactNode } from 'react';
import type { Account, Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { useQueryState } from '~/lib/router';
import { Description } from '~/transaction/Description';
import { LegsToggle, type EntryToggle } from '~/transaction/LegsToggle';
import { isEntry } from '~/transaction/lines';
import { allRows, useLines } from '~/transaction/useLines';
import { Button } from '~/ui/Button';
import { EmptyState } from '~/ui/EmptyState';
import { Icon } from '~/ui/Icon';
import { Cell, List } from '~/ui/List';
import { Money } from '~/ui/Money';
import { useShortcut } from '~/ui/shortcuts';
import { useListState } from '~/ui/useListState';
import { changeText } from './ChangesNote';
import type { ReconciliationChange } from './queries';
import { lineEffect, otherAccounts, withLegIds } from './sheet';
import '~/transaction/TransactionList.css';

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

/** The lines to tick: `c` or Space ticks that of the cursor, or all selected ones, with all their legs. */
export function SheetList({ account, rows, ticked, changes, onTick, until, footer }: SheetListProps) {
  const [, setPanel] = useQueryState('panel');
  const { lines, keyAt, rowsAt, rowsOf, isOpen, toggle } = useLines(useMemo(() => allRows(rows), [rows]));
  const state = useListState(lines.length, keyAt, account.id!);
  const changed = new Map(changes.map((change) => [change.transactionId, change]));
  const setTicked = (wanted: readonly Transaction[], value: boolean) => onTick?.(withLegIds(rows, wanted.map(({ id }) => id!)), value);
  const isTicked = (line: readonly Transaction[]) => line.length > 0 && line.every(({ id }) => ticked.has(id!));
  const tick = () => {
    const wanted = rowsOf(state.targets());
    if (wanted.length > 0) setTicked(wanted, !isTicked(wanted));
  };
  const setOpen = (open: boolean) => {
    const line = lines[state.cursor];
    if (isEntry(line)) toggle(line.key, open);
  };
  useShortcut('open-legs', () => setOpen(true));
  useShortcut('close-legs', () => setOpen(false));
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
        onOpen={(index) => setPanel(`transaction:${rowsAt(index)[0]?.id ?? ''}`)}
        rowClass={(index) => (isTicked(rowsAt(index)) ? 'is-ticked' : '')}
        renderRow={(index) => {
          const line = lines[index];
          const shown = rowsAt(index);
          if (shown.length === 0) return null;
          const entry = isEntry(line) ? { isOpen: isOpen(line.key), onToggle: () => toggle(line.key) } : undefined;
          return (
            <Cells
              rows={shown}
              account={account}
              entry={entry}
              isLeg={typeof line === 'object' && !entry}
              ticked={ticked}
              change={shown.map(({ id }) => changed.get(id!)).find(Boolean)}
              onTick={onTick && (() => setTicked(shown, !isTicked(shown)))}
            />
          );
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

function Cells({ rows, account, entry, isLeg, ticked, change, onTick }: {
  readonly rows: readonly Transaction[];
  readonly account: Account;
  /** Of an entry. */
  readonly entry: EntryToggle | undefined;
  readonly isLeg: boolean;
  readonly ticked: ReadonlySet<string>;
  readonly change: ReconciliationChange | undefined;
  readonly onTick: (() => void) | undefined;
}) {
  const { day, numbers } = useBook();
  const head = rows[0]!;
  const value = lineEffect(rows, account);
  const others = otherAccounts(rows, account.id!);
  const count = rows.filter(({ id }) => ticked.has(id!)).length;
  const isTicked = count === rows.length;
  const isIn = value.units >= 0n;
  const amount = <Money value={isIn ? value : { units: -value.units, scale: value.scale }} style={numbers} />;
  return (
    <>
      <Cell className="sheet-tick">
        <button
          type="button"
          tabIndex={-1}
          role="checkbox"
          aria-checked={isTicked || (count > 0 && 'mixed')}
          aria-label={`On the statement: ${head.description ?? ''}`}
          disabled={!onTick}
          className="status-box"
          onClick={onTick}
        >
          <span className={`sheet-box ${isTicked ? 'is-on' : ''}`}>{isTicked ? <Icon name="check" size={11} /> : count > 0 && '−'}</span>
        </button>
      </Cell>
      <Cell className="sheet-date">{day(head.date)}</Cell>
      <Cell className={`sheet-description ${isLeg ? 'tx-leg' : ''}`} title={head.description ?? undefined}>
        {entry && <LegsToggle count={rows.length} {...entry} />}
        {change && <span className="sheet-changed" role="img" aria-label={`It ${changeText(change)} by ${change.username}`}><Icon name="warning" size={13} /></span>}
        <Description text={head.description ?? ''} tags={head.tags ?? []} />
      </Cell>
      <Cell className="sheet-other" title={others.join(', ')}>{others.length > 1 ? `${others.length} accounts` : <bdi>{others[0]}</bdi>}</Cell>
      <Cell isNumber className="sheet-in">{isIn && amount}</Cell>
      <Cell isNumber className="sheet-out">{!isIn && amount}</Cell>
    </>
  );
}
