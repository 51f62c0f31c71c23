import { useEffect, useRef } from 'react';
import { queryClient } from '~/api/cache';
import { sentence } from '~/api/problem';
import type { Book } from '~/api/types';
import { bookPath } from '~/book/paths';
import { useBook } from '~/book/types';
import { listOf } from '~/export/csv';
import { showDownloadFailure } from '~/export/failure';
import { ListMenu } from '~/export/ListMenu';
import { periodLabel, type Period } from '~/lib/dates';
import { decimalOrZero, isZero, ZERO, type Decimal } from '~/lib/money';
import { useQueryState } from '~/lib/router';
import { downloadReport } from '~/report/download';
import { reportPath } from '~/report/names';
import { yearBefore } from '~/report/params';
import { Button } from '~/ui/Button';
import { ChoiceField } from '~/ui/fields/ChoiceField';
import { Link } from '~/ui/Link';
import { Menu } from '~/ui/Menu';
import { showToast } from '~/ui/toasts';
import { budgetColumns } from './listing';
import { cellKey, fillChanges, readCells, type CellChange } from './cells';
import { monthsOf, type BudgetRow } from './grid';
import { actualOptions, monthRange, plannedOptions } from './queries';
import type { CellEdits } from './useCellEdits';

/** The choices above the grid: which budget, fill, compare. */
export function BudgetBar({ budget, budgets, period, months, rows, edits }: {
  readonly budget: Book;
  readonly budgets: readonly Book[];
  readonly period: Period;
  readonly months: readonly string[];
  readonly rows: readonly BudgetRow[];
  /** Undefined if the caller may not change the budget. */
  readonly edits: CellEdits | undefined;
}) {
  const { id: bookId } = useBook();
  const [, setBudget] = useQueryState('budget');
  const fill = useFill(budget.id!, period, months, rows, edits);
  return (
    <div className="page-bar budget-bar">
      {budgets.length > 1 && (
        <ChoiceField label="Budget" isCompact value={budget.id!} onChange={(id) => setBudget(id)} choices={budgets.map(({ id, name }) => ({ value: id!, label: name! }))} />
      )}
      {edits ? (
        <Menu
          label="Fill"
          trigger={<Button icon="down">Fill</Button>}
          entries={[
            { id: 'empty', label: 'Empty cells with last year\u2019s figures', run: () => void fill('actual', true) },
            { id: 'all', label: 'All cells with last year\u2019s figures', run: () => void fill('actual', false) },
            { id: 'plan', label: 'Empty cells with last year\u2019s budget', run: () => void fill('budget', true) },
            { id: 'clear', label: 'Clear all cells', detail: periodLabel(period), run: () => clear(edits, rows, months) },
          ]}
        />
      ) : <span className="muted">You can look at this budget. To change it, you need the permission to edit its book.</span>}
      <Link to={reportPath(bookId, 'income-statement', { period: period.text, compare: budget.id! })}>Compare in the income statement</Link>
      <span className="page-bar-end page-bar-group">
        <span className="budget-legend muted">
          {months.length > 1 && <span><span className="budget-legend-plan">Budget</span> above, actual below</span>}
          <Link to={bookPath(budget.id!, 'transactions')}>The budget's book</Link>
        </span>
        {rows.length > 0 && (
          <ListMenu
            what="the budget"
            list={() => listOf(budgetColumns(months), rows)}
            others={[{ id: 'xlsx', label: 'XLSX', detail: 'Income statement', run: () => void downloadReport(bookId, 'income-statement', { period: period.text, compare: budget.id! }, 'xlsx').catch(showDownloadFailure) }]}
          />
        )}
      </span>
    </div>
  );
}

const cellCount = (changes: readonly CellChange[]): string => `${changes.length} ${changes.length === 1 ? 'cell' : 'cells'}`;

function clear(edits: CellEdits, rows: readonly BudgetRow[], months: readonly string[]): void {
  const changes = rows.flatMap((row): CellChange[] =>
    row.kind === 'account' ? months.filter((_, index) => !isZero(row.budget[index]!)).map((month) => ({ name: row.accountName, month, value: ZERO })) : [],
  );
  if (changes.length === 0) showToast('All cells are empty');
  edits.set(changes, `Cleared ${cellCount(changes)}`);
}

/** Fills from the year before, on request or once after the budget was made (`?fill=last-year`). */
function useFill(budgetId: string, period: Period, months: readonly string[], rows: readonly BudgetRow[], edits: CellEdits | undefined) {
  const { id: bookId, accountById } = useBook();
  const [first, setFirst] = useQueryState('fill');
  const fill = async (source: 'actual' | 'budget', onlyEmpty: boolean) => {
    if (!edits) return;
    try {
      const range = monthRange(yearBefore(period));
      const figures = source === 'actual' ? await actualFigures(bookId, range.text, (id) => accountById.get(id)?.normalizedName) : await plannedFigures(budgetId, range.from, range.until);
      const names = rows.flatMap((row) => (row.kind === 'account' ? [row.accountName] : []));
      const changes = fillChanges(figures, edits.cells, months, names, onlyEmpty);
      if (changes.length === 0) showToast('Last year has no figures for these cells');
      edits.set(changes, `Filled ${cellCount(changes)} from last year`);
    } catch (error) {
      showToast(`Last year could not be read. ${sentence(error)}`, { tone: 'error' });
    }
  };
  const latest = useRef(fill);
  latest.current = fill;
  const isReady = first === 'last-year' && rows.length > 0 && edits !== undefined;
  useEffect(() => {
    if (!isReady) return;
    setFirst(null, { replace: true });
    void latest.current('actual', true);
  }, [isReady, setFirst]);
  return fill;
}

async function actualFigures(bookId: string, period: string, nameOf: (id: string) => string | undefined): Promise<Map<string, Decimal>> {
  const report = await queryClient.fetchQuery(actualOptions(bookId, period));
  const figures = new Map<string, Decimal>();
  for (const month of monthsOf(report)) {
    const column = report.columns.findIndex(({ key }) => key === month);
    for (const { kind, accountId, cells } of report.rows) {
      const name = kind === 'line' && accountId ? nameOf(accountId) : undefined;
      if (name) figures.set(cellKey(name, month), decimalOrZero(cells[column]));
    }
  }
  return figures;
}

async function plannedFigures(budgetId: string, from: string, until: string): Promise<Map<string, Decimal>> {
  const cells = readCells(await queryClient.fetchQuery(plannedOptions(budgetId, from, until)));
  return new Map([...cells].map(([key, { value }]) => [key, value]));
}
