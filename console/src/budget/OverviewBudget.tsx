import { useQuery } from '@tanstack/react-query';
import { keys } from '~/api/cache';
import { api } from '~/api/client';
import { monthLabel } from '~/book/course';
import { useBook } from '~/book/types';
import { decimalOrZero, isNegative, subtract, type Decimal } from '~/lib/money';
import { reportPath } from '~/report/names';
import type { Report } from '~/report/rows';
import { Link } from '~/ui/Link';
import { Money } from '~/ui/Money';
import { budgetPath } from './paths';
import { useBudgets } from './queries';

/** This month against its budget, or how a budget begins. */
export function OverviewBudget() {
  const { id, today, can } = useBook();
  const { budgets, isLoading } = useBudgets();
  const month = today.slice(0, 7);
  const budgetId = budgets[0]?.id;
  const { data } = useQuery({
    queryKey: [...keys.book(id), 'overview-budget', month, budgetId],
    enabled: budgetId !== undefined,
    queryFn: async ({ signal }): Promise<Report> =>
      (await api.get('/v5/books/{bookId}/reports/{id}', { path: { bookId: id, id: 'income-statement' }, query: { period: month, compare: budgetId!, depth: '1' }, signal })).data,
  });
  if (isLoading || (!budgetId && !can('EDITOR'))) return null;
  return (
    <section aria-labelledby="overview-budget" className="overview-budget">
      <h2 id="overview-budget">Budget</h2>
      {!budgetId && <p className="muted">Plan what each month may cost. <Link to={budgetPath(id)}>Create a budget</Link></p>}
      {budgetId && data && (
        <>
          <Left label="Left to spend" report={data} total="Total expenses" />
          <p className="overview-more">
            <Link to={budgetPath(id)}>Budget of {monthLabel(month)}</Link> · <Link to={reportPath(id, 'income-statement', { period: month, compare: budgetId })}>Compare</Link>
          </p>
        </>
      )}
    </section>
  );
}

function Left({ label, report, total }: { readonly label: string; readonly report: Report; readonly total: string }) {
  const { numbers, currency } = useBook();
  const row = report.rows.find(({ kind, cells }) => kind === 'total' && cells[0] === total);
  const figure = (index: number): Decimal => decimalOrZero(row?.cells[index]);
  const left = subtract(figure(2), figure(1));
  return (
    <p>
      {isNegative(left) ? 'Over the budget by' : label}{' '}
      <strong><Money value={isNegative(left) ? { ...left, units: -left.units } : left} style={numbers} /> {currency}</strong>
      <span className="muted"> of <Money value={figure(2)} style={numbers} /></span>
    </p>
  );
}
