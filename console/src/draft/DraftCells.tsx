import type { ReactNode } from 'react';
import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { parseDecimal } from '~/lib/money';
import { Description } from '~/transaction/Description';
import { Cell } from '~/ui/List';
import { Money } from '~/ui/Money';
import { missingFields, type Field } from './tray';

const NAMES: Record<Field, string> = { date: 'date', from: 'From', to: 'To', amount: 'amount' };

/** A draft as a row: what is known, and what is missing or ready. */
export function DraftCells({ row, onEdit, onPost }: {
  readonly row: Transaction;
  readonly onEdit: (() => void) | undefined;
  readonly onPost: (() => void) | undefined;
}) {
  const { day, numbers, today, lockedUntil } = useBook();
  const missing = missingFields(row);
  const gap = <span className="tx-missing">missing</span>;
  const name = (account: Transaction['creditAccount']): ReactNode => (account?.name ? <bdi>{account.name}</bdi> : gap);
  const isLocked = Boolean(row.date) && row.date! <= lockedUntil;
  return (
    <>
      <Cell className="tx-date">{row.date ? day(row.date) : gap}</Cell>
      <Cell className="tx-description" title={row.description ?? undefined}><Description text={row.description || 'No description'} tags={row.tags ?? []} /></Cell>
      <Cell className="tx-from" title={row.creditAccount?.name}>{name(row.creditAccount)}</Cell>
      <Cell className="tx-to" title={row.debitAccount?.name}>{name(row.debitAccount)}</Cell>
      <Cell isNumber className="tx-amount">{row.amount ? <Money value={parseDecimal(row.amount)} style={numbers} /> : gap}</Cell>
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
