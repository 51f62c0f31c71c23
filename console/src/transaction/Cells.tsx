import { memo } from 'react';
import type { Account, Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { parseDecimal, sum, type Decimal } from '~/lib/money';
import { effect, fromRaw } from '~/lib/signs';
import { Cell } from '~/ui/List';
import { Money } from '~/ui/Money';
import { Description } from './Description';
import { LegsToggle, type EntryToggle } from './LegsToggle';
import { Marks } from './Marks';
import { StatusMark } from './StatusMark';

export interface LineContext {
  /** Of a register. */
  readonly account: Account | undefined;
  readonly errorIds: ReadonlySet<string>;
  readonly reversals: ReadonlyMap<string, string>;
  readonly isLocked: (row: Transaction) => boolean;
  readonly onCheck: ((rows: readonly Transaction[]) => void) | undefined;
}

interface CellsProps {
  readonly rows: readonly Transaction[];
  readonly context: LineContext;
  /** Of an entry. */
  readonly entry?: EntryToggle | undefined;
  readonly isLeg?: boolean;
}

/** The transaction whose mark stands for all: checked only when each of them is. */
function summary(rows: readonly Transaction[]): Transaction {
  return {
    ...rows[0],
    posted: rows.every((row) => row.posted), checked: rows.every((row) => row.checked), trashed: rows.every((row) => row.trashed),
  };
}

/** Whether a line looks the same. The function that opens an entry differs, but does the same for equal rows. */
function isSame(before: CellsProps, after: CellsProps): boolean {
  return before.context === after.context && before.isLeg === after.isLeg && before.entry?.isOpen === after.entry?.isOpen
    && before.rows.length === after.rows.length && before.rows.every((row, at) => row === after.rows[at]);
}

/** The cells of a line: one transaction, or an entry with its sum. */
export const LineCells = memo(function LineCells({ rows, context, entry, isLeg = false }: CellsProps) {
  const { day } = useBook();
  const head = rows[0]!;
  const { account, onCheck } = context;
  const locked = rows.some(context.isLocked);
  return (
    <>
      <Cell className="tx-date">{head.date ? day(head.date) : <span className="muted">no date</span>}</Cell>
      <Cell className="tx-status">
        <StatusMark transaction={summary(rows)} isLocked={locked} onToggle={onCheck && !locked ? () => onCheck(rows) : undefined} />
      </Cell>
      <Cell className={`tx-description ${isLeg ? 'tx-leg' : ''}`} title={head.description ?? undefined}>
        {entry && <LegsToggle count={rows.length} {...entry} />}
        {rows.length === 1 && <Marks row={head} hasError={context.errorIds.has(head.id!)} reversal={context.reversals.get(head.id!)} />}
        <Description text={head.description ?? ''} tags={head.tags ?? []} />
      </Cell>
      {account ? <RegisterCells rows={rows} account={account} isLeg={isLeg} /> : <SideCells rows={rows} />}
    </>
  );
}, isSame);

/** The account that all rows share on a side, or their number. */
export function AccountCell({ accounts, className }: { readonly accounts: readonly (Account | null | undefined)[]; readonly className: string }) {
  const names = new Set(accounts.map((account) => account?.name ?? ''));
  const [name] = names;
  if (names.size > 1) return <Cell className={className} title={[...names].join(', ')}>{names.size} accounts</Cell>;
  return <Cell className={className} title={name || undefined}>{name ? <bdi>{name}</bdi> : <span className="tx-missing">missing</span>}</Cell>;
}

function SideCells({ rows }: { readonly rows: readonly Transaction[] }) {
  const { numbers } = useBook();
  const amounts = rows.flatMap(({ amount }) => (amount ? [parseDecimal(amount)] : []));
  return (
    <>
      <AccountCell accounts={rows.map((row) => row.creditAccount)} className="tx-from" />
      <AccountCell accounts={rows.map((row) => row.debitAccount)} className="tx-to" />
      <Cell isNumber className="tx-amount">
        {amounts.length > 0 ? <Money value={sum(amounts)} style={numbers} /> : <span className="tx-missing">missing</span>}
      </Cell>
    </>
  );
}

function RegisterCells({ rows, account, isLeg }: { readonly rows: readonly Transaction[]; readonly account: Account; readonly isLeg: boolean }) {
  const { numbers } = useBook();
  const sideOf = (row: Transaction) => (row.creditAccount?.id === account.id ? 'credit' : 'debit');
  const effects = rows.flatMap((row): Decimal[] => (row.amount ? [effect(parseDecimal(row.amount), sideOf(row), account.credit)] : []));
  const head = rows[0]!;
  const balance = (sideOf(head) === 'credit' ? head.creditAccount : head.debitAccount)?.balance;
  return (
    <>
      <AccountCell accounts={rows.map((row) => (sideOf(row) === 'credit' ? row.debitAccount : row.creditAccount))} className="tx-to" />
      <Cell isNumber className="tx-amount">{effects.length > 0 && <Money value={sum(effects)} style={numbers} />}</Cell>
      {account.permanent && (
        <Cell isNumber className="tx-balance">{balance && !isLeg && <Money value={fromRaw(parseDecimal(balance), account.credit)} style={numbers} />}</Cell>
      )}
    </>
  );
}
