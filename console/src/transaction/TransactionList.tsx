import { useCallback } from 'react';
import type { Account, Transaction } from '~/api/types';
import { sentence } from '~/api/problem';
import { useBook } from '~/book/types';
import { parseDecimal, type Decimal } from '~/lib/money';
import { effect, fromRaw } from '~/lib/signs';
import { useQueryState } from '~/lib/router';
import { Button } from '~/ui/Button';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { Icon } from '~/ui/Icon';
import { Cell, List, type ListColumn } from '~/ui/List';
import { Money } from '~/ui/Money';
import { usePrefs } from '~/ui/prefs';
import { useShortcut } from '~/ui/shortcuts';
import { useListState, type ListState } from '~/ui/useListState';
import { useCheck, useTrash } from './actions';
import { Description } from './Description';
import { useTransactionRows } from './queries';
import { SelectionBar } from './SelectionBar';
import { StatusMark, statusOf } from './StatusMark';
import './TransactionList.css';

export interface TransactionListProps {
  /** The query that the API gets, period included. */
  readonly query: string;
  /** The account of a register: amounts get its sign, and rows have the running balance. */
  readonly account?: Account | undefined;
  /** The balance before the first row of a register. */
  readonly opening?: { readonly label: string; readonly balance: Decimal } | undefined;
  readonly isFiltered: boolean;
}

/** The list of transactions that a query finds, or the register of an account. */
export function TransactionList({ query, account, opening, isFiltered }: TransactionListProps) {
  const rows = useTransactionRows(query);
  const [panel, setPanel] = useQueryState('panel');
  const keyAt = useCallback((index: number) => rows.rows[index]?.id ?? String(index), [rows]);
  const state = useListState(rows.rows.length, keyAt, query);
  const { accountingTerms } = usePrefs();
  const openPanel = (index: number, replace: boolean) => setPanel(`transaction:${keyAt(index)}`, { replace });
  // While a panel is open it follows the cursor.
  const follow: ListState = {
    ...state,
    setCursor: (index) => {
      state.setCursor(index);
      if (panel.startsWith('transaction:')) openPanel(index, true);
    },
  };
  useTransactionKeys(state, rows.rows);
  const loadMore = useCallback(() => void rows.loadMore(), [rows]);
  if (rows.error && rows.rows.length === 0) {
    return <EmptyState title="The list cannot be loaded" actions={<Button onPress={loadMore}>Try again</Button>}>{sentence(rows.error)}</EmptyState>;
  }
  return (
    <>
      <List
        label={account ? `Register of ${account.name}` : 'Transactions'}
        name={account ? (account.permanent ? 'register' : 'register-flow') : 'transactions'}
        columns={account ? registerColumns(account) : listColumns(accountingTerms)}
        state={follow}
        onOpen={(index) => openPanel(index, false)}
        onEnd={rows.isComplete || rows.error ? undefined : loadMore}
        rowClass={(index) => `is-${rows.rows[index] ? statusOf(rows.rows[index]) : ''}`}
        renderRow={(index) => {
          const row = rows.rows[index];
          return row && (account ? <RegisterCells row={row} account={account} /> : <ListCells row={row} />);
        }}
        empty={rows.isComplete ? <NoTransactions isFiltered={isFiltered} /> : <Loading label="Loading transactions" />}
        footer={<Footer isComplete={rows.isComplete} error={rows.error} onRetry={loadMore} opening={opening} />}
      />
      <SelectionBar state={state} rows={rows.rows} />
    </>
  );
}

/** Single keys on the selected rows, or on the cursor row. */
function useTransactionKeys(state: ListState, rows: readonly Transaction[]): void {
  const check = useCheck();
  const trash = useTrash();
  const { can } = useBook();
  const targets = () => {
    const ids = new Set(state.targets());
    return rows.filter((row) => ids.has(row.id!));
  };
  useShortcut('check', () => {
    const posted = targets().filter((row) => row.posted && !row.trashed);
    if (posted.length === 0) return;
    const checked = !posted.every((row) => row.checked);
    void check.run({ ids: posted.filter((row) => row.checked !== checked).map((row) => row.id!), checked });
  }, can('EDITOR'));
  useShortcut('trash', () => {
    const ids = targets().filter((row) => !row.trashed).map((row) => row.id!);
    if (ids.length > 0) void trash.run(ids).then((done) => done && state.clear());
  }, can('POSTER'));
}

const status: ListColumn = { key: 'status', title: <span className="hidden-visually">Status</span> };
const description: ListColumn = { key: 'description', title: 'Description' };
const date: ListColumn = { key: 'date', title: 'Date' };

const listColumns = (accountingTerms: boolean): ListColumn[] => [
  date, status, description,
  { key: 'from', title: accountingTerms ? 'Credit' : 'From' },
  { key: 'to', title: accountingTerms ? 'Debit' : 'To' },
  { key: 'amount', title: 'Amount', isNumber: true },
];

const registerColumns = (account: Account): ListColumn[] => [
  date, status, description,
  { key: 'other', title: 'Other account' },
  { key: 'amount', title: 'Amount', isNumber: true },
  ...(account.permanent ? [{ key: 'balance', title: 'Balance', isNumber: true }] : []),
];

function CommonCells({ row }: { readonly row: Transaction }) {
  const { day, can } = useBook();
  const check = useCheck();
  const toggle = can('EDITOR') ? () => void check.run({ ids: [row.id!], checked: !row.checked }) : undefined;
  return (
    <>
      <Cell className="tx-date">{row.date ? day(row.date) : <span className="muted">no date</span>}</Cell>
      <Cell className="tx-status"><StatusMark transaction={row} onToggle={toggle} /></Cell>
      <Cell className="tx-description" title={row.description ?? undefined}>
        {(row.files?.length ?? 0) > 0 && <span className="tx-file" role="img" aria-label="Has files"><Icon name="file" size={13} /></span>}
        <Description text={row.description ?? ''} tags={row.tags ?? []} />
      </Cell>
    </>
  );
}

function AccountName({ account, className }: { readonly account: Account | null | undefined; readonly className: string }) {
  return (
    <Cell className={className} title={account?.name}>
      {account?.name ? <bdi>{account.name}</bdi> : <span className="tx-missing">missing</span>}
    </Cell>
  );
}

function ListCells({ row }: { readonly row: Transaction }) {
  const { numbers } = useBook();
  return (
    <>
      <CommonCells row={row} />
      <AccountName account={row.creditAccount} className="tx-from" />
      <AccountName account={row.debitAccount} className="tx-to" />
      <Cell isNumber className="tx-amount">{row.amount ? <Money value={parseDecimal(row.amount)} style={numbers} /> : <span className="tx-missing">missing</span>}</Cell>
    </>
  );
}

function RegisterCells({ row, account }: { readonly row: Transaction; readonly account: Account }) {
  const { numbers } = useBook();
  const side = row.creditAccount?.id === account.id ? 'credit' : 'debit';
  const own = side === 'credit' ? row.creditAccount : row.debitAccount;
  return (
    <>
      <CommonCells row={row} />
      <AccountName account={side === 'credit' ? row.debitAccount : row.creditAccount} className="tx-to" />
      <Cell isNumber className="tx-amount">{row.amount && <Money value={effect(parseDecimal(row.amount), side, account.credit)} style={numbers} />}</Cell>
      {account.permanent && (
        <Cell isNumber className="tx-balance">{own?.balance && <Money value={fromRaw(parseDecimal(own.balance), account.credit)} style={numbers} />}</Cell>
      )}
    </>
  );
}

function Footer({ isComplete, error, onRetry, opening }: {
  readonly isComplete: boolean;
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly opening: TransactionListProps['opening'];
}) {
  const { numbers } = useBook();
  if (error) return <div className="list-note">{sentence(error)} <Button onPress={onRetry}>Try again</Button></div>;
  if (!isComplete) return <div className="list-note muted">Loading more</div>;
  if (!opening) return null;
  return (
    <div className="list-foot tx-opening" role="row">
      <Cell className="tx-date" /><Cell className="tx-status" />
      <Cell className="tx-description">{opening.label}</Cell>
      <Cell className="tx-to" /><Cell isNumber className="tx-amount" />
      <Cell isNumber className="tx-balance"><Money value={opening.balance} style={numbers} /></Cell>
    </div>
  );
}

function NoTransactions({ isFiltered }: { readonly isFiltered: boolean }) {
  const [, setPeriod] = useQueryState('period');
  const [, setQuery] = useQueryState('q');
  if (!isFiltered) {
    return <EmptyState title="No transactions yet">Record the first one with <kbd>N</kbd>, or import a bank file.</EmptyState>;
  }
  return (
    <EmptyState
      title="Nothing found"
      actions={<><Button onPress={() => setPeriod(null)}>Whole book</Button><Button onPress={() => setQuery(null)}>Clear the query</Button></>}
    >
      No transaction matches the query in this period.
    </EmptyState>
  );
}
