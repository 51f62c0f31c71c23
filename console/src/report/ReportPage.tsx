import { useEffect, useMemo } from 'react';
import { sentence } from '~/api/problem';
import { useBook } from '~/book/types';
import { accountPath, bookPath } from '~/book/paths';
import { useHeaderInfo } from '~/frame/headerInfo';
import { useHeaderQuery, usePeriod } from '~/frame/period';
import { fiscalYearOf, parsePeriod, periodOf } from '~/lib/dates';
import { joinQuery } from '~/lib/query';
import { navigate, useQueryState, withParams } from '~/lib/router';
import { useTransactionCount } from '~/transaction/queries';
import { Button } from '~/ui/Button';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { Link } from '~/ui/Link';
import { drillPath, type DrillContext } from './drill';
import { REPORTS, type ReportName } from './names';
import { comparison, reportQuery, type ReportState } from './params';
import { useReport } from './queries';
import { ReportChart } from './ReportChart';
import { ReportFoot } from './ReportFoot';
import { ReportGrid } from './ReportGrid';
import { ReportHead } from './ReportHead';
import { ReportTabs } from './ReportTabs';
import { ReportToolbar } from './ReportToolbar';
import { buildTree, shownColumns, visibleRows, type Report, type ReportColumn, type VisibleRow } from './rows';
import './Report.css';

/** Listings above this many transactions are loaded on request only. */
const MANY = 20_000;

/** The frame of all reports: choices, heading, chart, rows and proof. */
export function ReportPage({ report: name }: { readonly report: ReportName }) {
  const kind = REPORTS[name];
  const state = useReportState(name);
  const { setPeriod } = usePeriod();
  const { fiscalStart } = useBook();
  const [accepted, setAccepted] = useQueryState('all');
  const query = useMemo(() => reportQuery(state), [state]);
  const size = useTransactionCount(joinQuery('is:posted', useHeaderQuery().terms)).data?.total;
  const isLarge = kind.isListing && name !== 'changes' && accepted !== 'true' && (size ?? 0) > MANY;
  const isReady = name === 'changes' || (state.period !== undefined && (!kind.isListing || size !== undefined) && !isLarge);
  const { data, error, isPlaceholderData } = useReport(name, query, isReady);
  useHeaderInfo({ title: kind.title, warnings: error ? [sentence(error)] : [] });
  return (
    <div className="report">
      <ReportTabs current={name} />
      <ReportToolbar key={state.period?.text} name={name} period={state.period} setPeriod={(text) => setPeriod(parsePeriod(text, fiscalStart))} query={query} />
      {isLarge ? (
        <EmptyState title="This report is long" actions={<Button onPress={() => setAccepted('true')}>Show it here</Button>}>
          The period has {size} transactions. Choose a shorter one, or download the report.
        </EmptyState>
      ) : error ? (
        <ReportError error={error} />
      ) : !data ? (
        <Loading label="Loading the report" />
      ) : (
        <ReportView key={name} report={data} state={state} isStale={isPlaceholderData} />
      )}
    </div>
  );
}

function useReportState(name: ReportName): ReportState {
  const { today, fiscalStart } = useBook();
  const { period } = usePeriod();
  const [compare] = useQueryState('compare');
  const [columns] = useQueryState('columns');
  const [depth] = useQueryState('depth');
  const [zeros] = useQueryState('zeros');
  const [after] = useQueryState('after');
  const [query] = useQueryState('q');
  const needsPeriod = name !== 'changes' && !period;
  // A report needs a period, and the whole book is not one: the fiscal year of today stands in the URL instead.
  useEffect(() => {
    if (!needsPeriod) return;
    const year = fiscalStart === 1 ? periodOf('year', today) : fiscalYearOf(today, fiscalStart);
    navigate(withParams({ period: year.text }), { replace: true });
  }, [needsPeriod, today, fiscalStart]);
  return useMemo(
    () => ({ name, period, compare, columns, depth, zeros: zeros === 'true', query, after }),
    [name, period, compare, columns, depth, zeros, query, after],
  );
}

function ReportError({ error }: { readonly error: unknown }) {
  const [query, setQuery] = useQueryState('q');
  return (
    <EmptyState title="The report cannot be shown" actions={query ? <Button onPress={() => setQuery(null)}>Clear the query</Button> : undefined}>
      {sentence(error)}
    </EmptyState>
  );
}

function ReportView({ report, state, isStale }: { readonly report: Report; readonly state: ReportState; readonly isStale: boolean }) {
  const { id: bookId, fiscalStart, groups } = useBook();
  const [closed, setClosed] = useQueryState('closed');
  const [, setPanel] = useQueryState('panel');
  const closedKeys = useMemo(() => new Set(closed.split(',').filter(Boolean)), [closed]);
  const tree = useMemo(() => buildTree(report.rows), [report]);
  const rows = useMemo(() => visibleRows(tree, closedKeys), [tree, closedKeys]);
  const shown = useMemo(() => shownColumns(report.columns), [report]);
  const context = useMemo<DrillContext>(
    () => ({
      bookId, name: state.name, from: report.period.from, until: report.period.until, query: state.query, fiscalStart,
      compare: comparison(state.compare, state.period),
      cashGroups: groups.filter((group) => group.properties?.['report'] === 'cash').map((group) => group.id!),
    }),
    [bookId, state, report, fiscalStart, groups],
  );
  const toggle = (key: string) => {
    const next = new Set(closedKeys);
    if (!next.delete(key)) next.add(key);
    setClosed([...next].join(','), { replace: true });
  };
  const pathOf = (row: VisibleRow, column: ReportColumn) => (REPORTS[state.name].isListing ? undefined : drillPath(row, column, context));
  const open = (row: VisibleRow) => {
    const { transactionId, accountId } = row.row;
    if (transactionId) return setPanel(`transaction:${transactionId}`);
    const path = report.columns.map((column) => pathOf(row, column)).find(Boolean);
    if (path) navigate(path);
    else if (accountId) navigate(`${accountPath(bookId, accountId)}?period=${state.period?.text ?? ''}`);
    return undefined;
  };
  const isEmpty = report.rows.every(({ kind }) => kind === 'section' || kind === 'total' || kind === 'result' || kind === 'balance');
  return (
    <div className={`report-main ${isStale ? 'is-stale' : ''}`} aria-busy={isStale}>
      <ReportHead report={report} />
      {state.columns && !state.columns.startsWith('#') && <ReportChart report={report} />}
      {isEmpty ? (
        <EmptyState
          title={state.name === 'changes' ? 'Nothing has changed' : 'Nothing was posted in this period'}
          actions={<Link to={bookPath(bookId, 'transactions')}>All transactions</Link>}
        >
          {state.name === 'changes' ? 'The books are as they were when the period was closed.' : 'Reports show posted transactions. Choose another period, or post the drafts.'}
        </EmptyState>
      ) : (
        <ReportGrid
          label={report.title}
          columns={report.columns}
          shown={shown}
          rows={rows}
          isListing={REPORTS[state.name].isListing}
          onToggle={toggle}
          onOpen={open}
          pathOf={pathOf}
        />
      )}
      <ReportFoot report={report} />
    </div>
  );
}
