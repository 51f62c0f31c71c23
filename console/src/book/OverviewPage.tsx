import type { ReactNode } from 'react';
import { sentence } from '~/api/problem';
import { OverviewBudget } from '~/budget/OverviewBudget';
import { useHeaderInfo } from '~/frame/headerInfo';
import { subtract, type Decimal } from '~/lib/money';
import { toNumber } from '~/ui/chartScale';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { Link } from '~/ui/Link';
import { Money } from '~/ui/Money';
import { Sparkline } from '~/ui/Sparkline';
import '~/ui/page.css';
import { Attention } from './Attention';
import { monthLabel, type MonthFigures } from './course';
import { CourseSection } from './CourseSection';
import { FirstSteps } from './FirstSteps';
import { Newest } from './Newest';
import { useCourse } from './overviewQueries';
import { bookPath, transactionsPath } from './paths';
import { useBook } from './types';
import './OverviewPage.css';

/** The first view of a book: what there is, how it develops, and what needs attention. */
export default function OverviewPage() {
  const { id, can, book, accounts } = useBook();
  useHeaderInfo({ title: 'Overview' });
  const isEmpty = accounts.length === 0 || !book.totalTransactions;
  const { data: course, error } = useCourse(can('VIEWER') && !isEmpty);
  if (!can('VIEWER')) {
    return (
      <EmptyState title={book.name ?? 'Book'} actions={<Link to={transactionsPath(id)}>Your transactions</Link>}>
        You can record transactions in this book. Others complete and post them, and only they see its accounts.
      </EmptyState>
    );
  }
  if (isEmpty) return <FirstSteps />;
  return (
    <div className="page page-wide overview">
      {error && <p className="notice">The figures cannot be loaded. {sentence(error)}</p>}
      {!course && !error && <Loading label="Loading the figures" />}
      {course && course.length > 0 && <Tiles course={course} />}
      {course && course.length > 0 && <CourseSection course={course} />}
      <div className="overview-lists">
        <Newest />
        <div className="overview-aside"><Attention /><OverviewBudget /></div>
      </div>
    </div>
  );
}

function Tiles({ course }: { readonly course: readonly MonthFigures[] }) {
  const { id } = useBook();
  const now = course.at(-1)!;
  const before = course.at(-2);
  const numbers = (pick: (month: MonthFigures) => Decimal) => course.map((month) => toNumber(pick(month)));
  return (
    <dl className="overview-tiles">
      <Tile name="Net worth" value={now.netWorth} spark={numbers(({ netWorth }) => netWorth)} to={bookPath(id, 'reports/balance-sheet')}>
        {before && <Change value={subtract(now.netWorth, before.netWorth)} since={monthLabel(before.month)} />}
      </Tile>
      <Tile name={`Income in ${monthLabel(now.month)}`} value={now.income} spark={numbers(({ income }) => income)} to={transactionsPath(id, `type:INCOMING on:${now.month}`)} />
      <Tile name={`Expenses in ${monthLabel(now.month)}`} value={now.expenses} spark={numbers(({ expenses }) => expenses)} to={transactionsPath(id, `type:OUTGOING on:${now.month}`)} />
      <Tile name={`Result of ${monthLabel(now.month)}`} value={now.result} spark={numbers(({ result }) => result)} to={`${bookPath(id, 'reports/income-statement')}?period=${now.month}`} />
    </dl>
  );
}

function Tile({ name, value, spark, to, children }: {
  readonly name: string;
  readonly value: Decimal;
  readonly spark: readonly number[];
  readonly to: string;
  readonly children?: ReactNode;
}) {
  const { numbers, currency } = useBook();
  return (
    <div className="overview-tile">
      <dt className="muted"><Link to={to}>{name}</Link></dt>
      <dd>
        <strong><Money value={value} style={numbers} /></strong>
        {currency && <span className="muted"> {currency}</span>}
        <Sparkline values={spark} />
        {children}
      </dd>
    </div>
  );
}

function Change({ value, since }: { readonly value: Decimal; readonly since: string }) {
  const { numbers } = useBook();
  return <span className="overview-change muted">{value.units > 0n && '+'}<Money value={value} style={numbers} /> since the end of {since}</span>;
}
