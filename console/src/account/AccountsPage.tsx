import { useCallback, useMemo } from 'react';
import { useBook } from '~/book/types';
import { listOf } from '~/export/csv';
import { showDownloadFailure } from '~/export/failure';
import { ListMenu } from '~/export/ListMenu';
import { useHeaderInfo } from '~/frame/headerInfo';
import { usePeriod } from '~/frame/period';
import { addDays, fiscalYearOf, isDay } from '~/lib/dates';
import { decimalOrZero } from '~/lib/money';
import { navigate, useQueryState, withParams } from '~/lib/router';
import { downloadReport } from '~/report/download';
import { Button } from '~/ui/Button';
import { EmptyState } from '~/ui/EmptyState';
import { CheckField } from '~/ui/fields/ChoiceField';
import { DateField } from '~/ui/fields/DateField';
import { Link } from '~/ui/Link';
import { List } from '~/ui/List';
import { prefs, setPrefs, usePrefs } from '~/ui/prefs';
import { useShortcut } from '~/ui/shortcuts';
import { useListState } from '~/ui/useListState';
import { bookPath } from '~/book/paths';
import { AccountDragContext, TopPlace } from './AccountDrag';
import { AccountsBar } from './AccountsBar';
import { ChartCells } from './ChartCells';
import { chartColumns } from './listing';
import { useBalances, useReconciledThrough } from './queries';
import { treeRows } from './tree';
import { useAccountDrag } from './useAccountDrag';
import '~/ui/page.css';
import './AccountsPage.css';

/** All accounts and groups as a tree: balances on any day, and changes of one or many. */
export default function AccountsPage() {
  const { id, accounts, groups, accountById, groupById, can, today, fiscalStart } = useBook();
  const { period, terms } = usePeriod();
  const [on, setOn] = useQueryState('on');
  const [all, setAll] = useQueryState('all');
  const { collapsed } = usePrefs();
  const { data: balances, isPlaceholderData } = useBalances(asOf(on, fiscalStart) ?? (terms || 'by:y'));
  const { data: reconciled, isLoading: isReconciledLoading } = useReconciledThrough();
  const rows = useMemo(
    () => treeRows({ accounts, groups, balances, collapsed: new Set(collapsed), withHidden: all === '1' }).filter(({ kind }) => kind !== 'heading'),
    [accounts, groups, balances, collapsed, all],
  );
  const keyAt = useCallback((index: number) => rows[index]?.key ?? '', [rows]);
  const state = useListState(rows.length, keyAt, `${id} ${all}`);
  useHeaderInfo({ title: 'Accounts' });

  const byKey = useMemo(() => new Map(rows.map((row) => [row.key, row])), [rows]);
  const chosen = [...state.selected].flatMap((key) => {
    const row = byKey.get(key);
    const account = row?.kind === 'account' ? accountById.get(row.id) : undefined;
    return account ? [account] : [];
  });
  const open = (index: number) => {
    const row = rows[index];
    if (row) navigate(withParams({ panel: `${row.kind}:${row.id}` }));
  };
  const toggle = (groupId: string, isOpen: boolean) => {
    const before = prefs().collapsed;
    setPrefs({ collapsed: isOpen ? [...before, groupId] : before.filter((other) => other !== groupId) });
  };
  useShortcut('edit', () => open(state.cursor), state.cursor >= 0);
  const { clear } = state;
  const drag = useAccountDrag(rows, state.selected, useCallback(() => {
    clear();
    document.querySelector<HTMLElement>('.list-accounts')?.focus();
  }, [clear]));

  const trialBalance = () => downloadReport(id, 'trial-balance', {
    ...(isDay(on) ? { period: `${fiscalYearOf(on, fiscalStart).from}..${on}` } : period ? { period: period.text } : {}),
    ...(all === '1' ? { zeros: 'true' } : {}),
  }, 'xlsx').catch(showDownloadFailure);
  const bar = (
    <div className="page-bar">
      {can('EDITOR') && (
        <>
          <Button look="primary" icon="plus" onPress={() => navigate(withParams({ panel: 'account:new' }))}>New account</Button>
          <Button icon="plus" onPress={() => navigate(withParams({ panel: 'group:new' }))}>New group</Button>
          <Link to={bookPath(id, 'opening-balances')}>Opening balances</Link>
        </>
      )}
      <span className="page-bar-end accounts-options">
        <CheckField label="Archived and hidden" value={all === '1'} onChange={(value) => setAll(value ? '1' : null, { replace: true })} />
        <DateField label="Balances on" isCompact placeholder="Balances on" value={on} onChange={(day) => setOn(day && day !== today ? day : null, { replace: true })} />
        <ListMenu
          what="the accounts"
          isLoading={can('VIEWER') && (!balances || isPlaceholderData || isReconciledLoading)}
          list={() => listOf(
            chartColumns({ accountById, groupById, reconciled }),
            treeRows({ accounts, groups, balances, collapsed: new Set(), withHidden: all === '1' }).filter(({ kind }) => kind !== 'heading'),
          )}
          others={can('VIEWER') ? [{ id: 'xlsx', label: 'XLSX', detail: 'Trial balance', run: () => void trialBalance() }] : []}
        />
      </span>
    </div>
  );
  if (accounts.length === 0 && groups.length === 0) {
    return (
      <>
        {bar}
        <EmptyState title="No accounts yet" actions={<Link to={bookPath(id)}>See the starter charts</Link>}>
          Every transaction moves money from one account to another, for example from Checking account to Groceries.
        </EmptyState>
      </>
    );
  }
  return (
    <AccountDragContext.Provider value={can('EDITOR') ? drag : undefined}>
      {bar}
      {chosen.length > 0 && <AccountsBar accounts={dedupe(chosen)} clear={state.clear} />}
      <List
        label="Accounts and groups"
        name="accounts"
        columns={[
          { key: 'name', title: 'Account' },
          { key: 'type', title: 'Type' },
          { key: 'reconciled', title: 'Reconciled to' },
          { key: 'min', title: 'Never below', isNumber: true },
          { key: 'balance', title: 'Balance', isNumber: true },
        ]}
        state={state}
        onOpen={open}
        renderRow={(index) => rows[index] && (
          <ChartCells
            row={rows[index]}
            isCursor={index === state.cursor}
            reconciled={reconciled?.get(rows[index].id)}
            minBalance={rows[index].kind === 'account' && accountById.get(rows[index].id)?.minBalance ? decimalOrZero(accountById.get(rows[index].id)!.minBalance) : undefined}
            onToggle={toggle}
          />
        )}
        keepsElement={keepsAll}
      />
      {can('EDITOR') && <TopPlace />}
    </AccountDragContext.Provider>
  );
}

/** A row that is dragged, or dragged over, must not become another one. */
const keepsAll = () => true;

/** Balances at the end of a day; income and expenses since the fiscal year began. */
function asOf(day: string, fiscalStart: number): string | undefined {
  if (!isDay(day)) return undefined;
  return `after:${fiscalYearOf(day, fiscalStart).from} before:${addDays(day, 1)} by:y`;
}

function dedupe<T extends { readonly id?: string }>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
