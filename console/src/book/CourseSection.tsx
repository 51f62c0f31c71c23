import { useMemo } from 'react';
import { listOf } from '~/export/csv';
import { ListMenu } from '~/export/ListMenu';
import { toNumber } from '~/ui/chartScale';
import { Link } from '~/ui/Link';
import { Money } from '~/ui/Money';
import { TimeChart, type Series } from '~/ui/TimeChart';
import { monthLabel, type MonthFigures } from './course';
import { MONTH_COLUMNS } from './listing';
import { transactionsPath } from './paths';
import { useBook } from './types';

/** Net worth, income and expenses of twelve months: two charts, and their figures as a table. */
export function CourseSection({ course }: { readonly course: readonly MonthFigures[] }) {
  const { currency } = useBook();
  const days = useMemo(() => course.map(({ day }) => day), [course]);
  const worth = useMemo<Series[]>(() => [{ label: 'Net worth', colour: '--accent', values: course.map(({ netWorth }) => toNumber(netWorth)) }], [course]);
  const flow = useMemo<Series[]>(() => [
    { label: 'Income', colour: '--positive', isBar: true, values: course.map(({ income }) => toNumber(income)) },
    { label: 'Expenses', colour: '--negative', isBar: true, values: course.map(({ expenses }) => toNumber(expenses)) },
  ], [course]);
  const unit = currency ? <span className="muted"> {currency}</span> : null;
  return (
    <section className="overview-course">
      <div className="overview-charts">
        <figure>
          <figcaption>Net worth{unit}</figcaption>
          <TimeChart label="Net worth at the end of each of the last twelve months; the table has the figures" days={days} series={worth} height={150} dayLabel={monthLabel} />
        </figure>
        <figure>
          <figcaption>
            <span className="legend legend-income">Income, left</span>
            <span className="legend legend-expenses">Expenses, right</span>{unit}
          </figcaption>
          <TimeChart label="Income and expenses of each of the last twelve months; the table has the figures" days={days} series={flow} height={170} dayLabel={monthLabel} />
        </figure>
      </div>
      <div className="overview-months">
        <p className="page-download"><ListMenu what="the figures by month" list={() => listOf(MONTH_COLUMNS, [...course].reverse())} /></p>
        <CourseTable course={course} />
      </div>
    </section>
  );
}

function CourseTable({ course }: { readonly course: readonly MonthFigures[] }) {
  const { id, numbers } = useBook();
  return (
    <div className="table-scroll" role="region" aria-label="Figures by month" tabIndex={0}>
      <table className="table overview-figures">
        <caption className="hidden-visually">Figures of the charts, newest month first</caption>
        <thead>
          <tr>
            <th scope="col">Month</th>
            <th scope="col" className="number">Income</th>
            <th scope="col" className="number">Expenses</th>
            <th scope="col" className="number">Result</th>
            <th scope="col" className="number">Net worth</th>
          </tr>
        </thead>
        <tbody>
          {[...course].reverse().map(({ month, income, expenses, result, netWorth }) => (
            <tr key={month}>
              <th scope="row">{monthLabel(month)}</th>
              <td className="number"><Link to={transactionsPath(id, `type:INCOMING on:${month}`)}><Money value={income} style={numbers} /></Link></td>
              <td className="number"><Link to={transactionsPath(id, `type:OUTGOING on:${month}`)}><Money value={expenses} style={numbers} /></Link></td>
              <td className="number"><Money value={result} style={numbers} /></td>
              <td className="number"><Money value={netWorth} style={numbers} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
