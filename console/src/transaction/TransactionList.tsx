import { useCallback, useMemo, useRef, useState } from 'react';
import type { Account } from '~/api/types';
import { sentence } from '~/api/problem';
import { useBook } from '~/book/types';
import { useAttach } from '~/file/actions';
import { useFileDrop } from '~/file/useFileDrop';
import { importsPath } from '~/import/paths';
import type { Decimal } from '~/lib/money';
import { useQueryState } from '~/lib/router';
import { Button } from '~/ui/Button';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { Link } from '~/ui/Link';
import { Cell, List, type ListColumn } from '~/ui/List';
import { placeOf } from '~/ui/listCursor';
import { Money } from '~/ui/Money';
import { useNarrow, usePrefs } from '~/ui/prefs';
import { useListState, type ListState } from '~/ui/useListState';
import type { BulkKind } from './BulkForm';
import { LineCells, type LineContext } from './Cells';
import { EditCells } from './EditCells';
import { useTransactionKeys } from './keys';
import { isEntry } from './lines';
import { ListBar } from './ListBar';
import { useErrorIds, useReversals } from './marks';
import { useTransactionRows } from './queries';
import { useRowActions } from './rowActions';
import { SelectionBar } from './SelectionBar';
import { statusOf } from './StatusMark';
import { useEditing } from './useEditing';
import { useLines } from './useLines';
import './TransactionList.css';

export interface TransactionListProps {
  /** The query that the API gets, period included. */
  readonly query: string;
  /** The account of a register: amounts get its sign, and rows have the running balance. */
  readonly account?: Account | undefined;
  /** The balance before the first row of a register. */
  readonly opening?: { readonly label: string; readonly balance: Decimal } | undefined;
  readonly isFiltered: boolean;
  /** What to show instead of the usual hints when there are no rows. */
  readonly empty?: React.ReactNode;
}

/** The list of transactions that a query finds, or the register of an account. */
export function TransactionList({ query, account, opening, isFiltered, empty }: TransactionListProps) {
  const { can } = useBook();
  const list = useTransactionRows(query);
  const lines = useLines(list);
  const { lines: shown, keyAt, rowsAt } = lines;
  const state = useListState(shown.length, keyAt, query);
  const actions = useRowActions();
  const editing = useEditing(actions);
  const [form, setForm] = useState<BulkKind>();
  const [panel, setPanel] = useQueryState('panel');
  const isNarrow = useNarrow();
  const { accountingTerms } = usePrefs();
  const frame = useRef<HTMLDivElement>(null);
  const attach = useAttach();

  const openPanel = (index: number, replace: boolean, part = '') => {
    const row = rowsAt(index)[0];
    if (row) setPanel(`transaction:${row.id}${part}`, { replace });
  };
  // While a panel is open it follows the cursor.
  const follow: ListState = {
    ...state,
    setCursor: (index) => {
      state.setCursor(index);
      if (panel.startsWith('transaction:')) openPanel(index, true);
    },
  };
  const focusList = () => frame.current?.querySelector<HTMLElement>('[role=grid]')?.focus({ preventScroll: true });
  const edit = async (index: number) => {
    const line = shown[index];
    const row = rowsAt(index)[0];
    if (!row || index < 0) return;
    if (isEntry(line)) lines.toggle(line.key, true);
    else if (isNarrow) openPanel(index, false);
    else await editing.begin(row);
  };
  const finish = async () => {
    const at = placeOf(editing.editing?.row.id ?? '', state.cursor, shown.length, keyAt);
    if (!(await editing.save())) return;
    const next = Math.min(at + 1, shown.length - 1);
    const row = rowsAt(next)[0];
    state.setCursor(next);
    const isFree = row && next !== at && !isEntry(shown[next]) && !row.checked && !row.trashed && !actions.isLocked(row);
    if (!isFree || !(await editing.begin(row))) focusList();
  };
  const selected = useMemo(
    () => (state.selected.size > 0 ? lines.rowsOf(state.selected) : []),
    [state.selected, list.getVersion(), shown], // eslint-disable-line react-hooks/exhaustive-deps
  );
  useTransactionKeys({
    targets: () => (selected.length > 0 ? selected : rowsAt(state.cursor)),
    actions,
    clear: state.clear,
    edit: () => void edit(state.cursor),
    comment: () => openPanel(state.cursor, false, ':comments'),
    openForm: (kind) => {
      if (state.selected.size === 0) {
        if (state.cursor < 0) return;
        state.toggle(state.cursor);
      }
      setForm(kind);
    },
    setOpen: (open) => {
      const line = shown[state.cursor];
      if (isEntry(line)) lines.toggle(line.key, open);
    },
  });
  const drop = useFileDrop({
    isEnabled: can('POSTER'),
    rowAt: (index) => rowsAt(index)[0],
    onDrop: (row, files) => void actions.mayEdit([row]).then((may) => (may ? attach.run({ row, files }) : undefined)),
  });
  const errorIds = useErrorIds(query);
  const reversals = useReversals();
  const isEditor = can('EDITOR');
  const latest = useRef(actions);
  latest.current = actions;
  // It stays the same for a key that moves the cursor or types, so that only the rows that change are rendered.
  const context = useMemo<LineContext>(() => ({
    account, errorIds, reversals,
    isLocked: (row) => latest.current.isLocked(row),
    onCheck: isEditor ? (rows) => void latest.current.check(rows) : undefined,
  }), [account, errorIds, reversals, isEditor]);
  const loadMore = useCallback(() => void list.loadMore(), [list]);
  const onRange = useCallback((first: number, last: number) => list.setVisible(first, last), [list]);

  if (list.error && list.rows.length === 0) {
    return <EmptyState title="The list cannot be loaded" actions={<Button onPress={loadMore}>Try again</Button>}>{sentence(list.error)}</EmptyState>;
  }
  const renderLine = (index: number) => {
    const line = shown[index];
    const rows = rowsAt(index);
    if (rows.length === 0) return null;
    if (!isEntry(line) && editing.editing?.row.id === rows[0]!.id) {
      const cancel = () => {
        editing.cancel();
        focusList();
      };
      return <EditCells fields={editing.editing!.fields} account={account} onChange={editing.change} onSave={() => void finish()} onCancel={cancel} />;
    }
    const entry = isEntry(line) ? { isOpen: lines.isOpen(line.key), onToggle: () => lines.toggle(line.key) } : undefined;
    return <LineCells rows={rows} context={context} entry={entry} isLeg={typeof line === 'object' && !entry} />;
  };
  return (
    <>
      <ListBar query={query} account={account} />
      <div ref={frame} className="tx-list" {...drop}>
        <List
          label={account ? `Register of ${account.name}` : 'Transactions'}
          name={account ? (account.permanent ? 'register' : 'register-flow') : 'transactions'}
          columns={account ? registerColumns(account) : listColumns(accountingTerms)}
          state={follow}
          onOpen={(index) => openPanel(index, false)}
          onEnd={list.isComplete || list.error ? undefined : loadMore}
          onRange={onRange}
          rowClass={(index) => {
            const row = rowsAt(index)[0];
            return row ? `is-${statusOf(row)} ${panel.split(':')[1] === row.id ? 'is-shown' : ''}` : '';
          }}
          renderRow={renderLine}
          keepsElement={(index) => editing.editing !== undefined && rowsAt(index)[0]?.id === editing.editing.row.id}
          empty={list.isComplete ? (empty ?? <NoTransactions isFiltered={isFiltered} />) : <Loading label="Loading transactions" />}
          footer={<Footer isComplete={list.isComplete} error={list.error} onRetry={loadMore} opening={opening} />}
        />
        <SelectionBar rows={selected} actions={actions} form={form} onForm={(kind) => { setForm(kind); if (!kind) focusList(); }} onClear={() => { setForm(undefined); state.clear(); }} />
      </div>
    </>
  );
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
  const { id } = useBook();
  const [, setPeriod] = useQueryState('period');
  const [, setQuery] = useQueryState('q');
  if (!isFiltered) {
    return <EmptyState title="No transactions yet">Record the first one with <kbd>N</kbd>, or <Link to={importsPath(id)}>import a file of your bank</Link>.</EmptyState>;
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
