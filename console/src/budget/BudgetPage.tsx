import { useEffect, useMemo } from 'react';
import { sentence } from '~/api/problem';
import type { Book } from '~/api/types';
import { bookPath } from '~/book/paths';
import { useBooks } from '~/book/queries';
import { useBook } from '~/book/types';
import { useHeaderInfo } from '~/frame/headerInfo';
import { usePeriod } from '~/frame/period';
import { fiscalYearOf, periodOf, type Period } from '~/lib/dates';
import { navigate, useQueryState, withParams } from '~/lib/router';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { Link } from '~/ui/Link';
import { useNarrow } from '~/ui/prefs';
import { BudgetBar } from './BudgetBar';
import { BudgetGrid } from './BudgetGrid';
import { BUDGET_OF } from './cells';
import { budgetRows, monthsOf, openRows } from './grid';
import { NewBudget } from './NewBudget';
import { budgetPath } from './paths';
import { monthRange, useBudgetFigures, useBudgets } from './queries';
import { useCellEdits } from './useCellEdits';
import '~/ui/page.css';
import './Budget.css';

/** More months than these are too many columns. */
const MAX_MONTHS = 24;

/** The plan of each month beside what happened. The plan is a book of its own. */
export default function BudgetPage() {
  const { book, can } = useBook();
  const { data: books } = useBooks();
  const { budgets, isLoading } = useBudgets();
  const [chosen] = useQueryState('budget');
  useHeaderInfo({ title: 'Budget' });
  const period = useBudgetPeriod();
  if (!can('VIEWER')) return <EmptyState title="No budget to show">You need the permission to view this book.</EmptyState>;
  const planned = book.properties?.[BUDGET_OF];
  if (planned) {
    const source = books?.find(({ id }) => id === planned);
    return (
      <EmptyState title="This book is a budget" actions={source && <Link to={budgetPath(planned)}>Budget of {source.name}</Link>}>
        It holds what is planned{source ? <> for <bdi>{source.name}</bdi></> : null}, one transaction for each account and month.
      </EmptyState>
    );
  }
  if (isLoading) return <Loading label="Loading the budget" />;
  const budget = budgets.find(({ id }) => id === chosen) ?? budgets[0];
  if (!budget) return <NewBudget period={period} />;
  return <Budget key={budget.id} budget={budget} budgets={budgets} period={period} />;
}

/** A budget needs a period: the fiscal year, or on a phone the month. It stands in the URL. */
function useBudgetPeriod(): Period {
  const { today, fiscalStart } = useBook();
  const { period } = usePeriod();
  const isNarrow = useNarrow();
  const usual = isNarrow ? periodOf('month', today) : fiscalStart === 1 ? periodOf('year', today) : fiscalYearOf(today, fiscalStart);
  useEffect(() => {
    if (!period) navigate(withParams({ period: usual.text }), { replace: true });
  }, [period, usual.text]);
  return period ?? usual;
}

function Budget({ budget, budgets, period }: { readonly budget: Book; readonly budgets: readonly Book[]; readonly period: Period }) {
  const { id: bookId, accountById } = useBook();
  const { from, until } = monthRange(period);
  const { actual, planned, accounts, error } = useBudgetFigures(budget.id!, period);
  const edits = useCellEdits(budget.id!, from, until, planned);
  const [closed, setClosed] = useQueryState('closed');
  const closedKeys = useMemo(() => new Set(closed.split(',').filter(Boolean)), [closed]);
  const months = useMemo(() => (actual ? monthsOf(actual) : []), [actual]);
  const rows = useMemo(
    () => (actual && accounts ? budgetRows({ report: actual, months, cells: edits.cells, accountById, budgetAccounts: accounts }) : undefined),
    [actual, accounts, months, edits.cells, accountById],
  );
  const shown = useMemo(() => openRows(rows ?? [], closedKeys), [rows, closedKeys]);
  const canEdit = budget.permission === 'OWNER' || budget.permission === 'EDITOR';
  const toggle = (key: string) => {
    const next = new Set(closedKeys);
    if (!next.delete(key)) next.add(key);
    setClosed([...next].join(','), { replace: true });
  };
  const bar = <BudgetBar budget={budget} budgets={budgets} period={period} months={months} rows={rows ?? []} edits={canEdit ? edits : undefined} />;
  if (months.length > MAX_MONTHS) return <>{bar}<EmptyState title="Too many months">Choose a period of up to two years.</EmptyState></>;
  return (
    <>
      {bar}
      {error && !rows ? (
        <EmptyState title="The budget cannot be loaded">{sentence(error)}</EmptyState>
      ) : !rows || !planned ? (
        <Loading label="Loading the budget" />
      ) : rows.length === 0 ? (
        <EmptyState title="Nothing to plan yet" actions={<Link to={bookPath(bookId, 'accounts')}>Accounts</Link>}>
          A budget plans income and expenses. Add accounts of these types first.
        </EmptyState>
      ) : (
        <BudgetGrid rows={shown} months={months} closed={closedKeys} onToggle={toggle} onSet={canEdit ? edits.set : undefined} />
      )}
    </>
  );
}
