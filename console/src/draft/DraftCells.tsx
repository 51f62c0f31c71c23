import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { parseDecimal, sum } from '~/lib/money';
import { AccountCell } from '~/transaction/Cells';
import { Description } from '~/transaction/Description';
import { LegsToggle, type EntryToggle } from '~/transaction/LegsToggle';
import { Cell } from '~/ui/List';
import { Money } from '~/ui/Money';
import type { ReactNode } from 'react';
import { missingFields, type Field } from './tray';

const NAMES: Record<Field, string> = { date: 'date', from: 'From', to: 'To', amount: 'amount' };

/** A draft as a line, or an entry with the sum of its legs: what is known, and what is missing or ready. */
export function DraftCells({ rows, entry, isLeg, onEdit, onPost }: {
  readonly rows: readonly Transaction[];
  /** Of an entry. */
  readonly entry: EntryToggle | undefined;
  readonly isLeg: boolean;
  readonly onEdit: (() => void) | undefined;
  readonly onPost: (() => void) | undefined;
}) {
  const { day, numbers, today, lockedUntil } = useBook();
  const row = rows[0]!;
  const missing = [...new Set(rows.flatMap(missingFields))];
  const amounts = rows.flatMap(({ amount }) => (amount ? [parseDecimal(amount)] : []));
  const gap = <span className="tx-missing">missing</span>;
  const isLocked = Boolean(row.date) && row.date! <= lockedUntil;
  return (
    <>
      <Cell className="tx-date">{row.date ? day(row.date) : gap}</Cell>
      <Cell className={`tx-description ${isLeg ? 'tx-leg' : ''}`} title={row.description ?? undefined}>
        {entry && <LegsToggle count={rows.length} {...entry} />}
        <Description text={row.description || 'No description'} tags={row.tags ?? []} />
      </Cell>
      <AccountCell accounts={rows.map(({ creditAccount }) => creditAccount)} className="tx-from" />
      <AccountCell accounts={rows.map(({ debitAccount }) => debitAccount)} className="tx-to" />
      <Cell isNumber className="tx-amount">{amounts.length > 0 ? <Money value={sum(amounts)} style={numbers} /> : gap}</Cell>
      <Cell className="draft-state">
        {isLocked ? (
          <span className="tx-missing">locked up to {day(lockedUntil)}</span>
        ) : missing.length > 0 ? (
          <RowButton onPress={onEdit} label={`Complete ${row.description ?? ''}`}>Add {missing.map((field) => NAMES[field]).join(', ')}</RowButton>
        ) : (
          <RowButton onPress={onPost} label={`Post ${row.description ?? ''}`}>{row.date! > today ? 'Post early' : 'Post'}</RowButton>
        )}
        {row.properties?.['series'] && <span className="draft-series" title="Part of a series">series</span>}
      </Cell>
    </>
  );
}

/** For the mouse; the keyboard uses `e` and `p` on the row. */
function RowButton({ onPress, label, children }: { readonly onPress: (() => void) | undefined; readonly label: string; readonly children: ReactNode }) {
  if (!onPress) return <span className="muted">{children}</span>;
  return <button type="button" tabIndex={-1} className="draft-button" title={label} onClick={onPress}>{children}</button>;
}
