import { useMemo } from 'react';
import { parsePeriod } from '~/lib/dates';
import { parseDecimal } from '~/lib/money';
import { toNumber } from '~/ui/chartScale';
import { TimeChart } from '~/ui/TimeChart';
import type { Report, ReportRow } from './rows';

interface Line {
  readonly label: string;
  readonly colour: string;
  readonly pick: (row: ReportRow) => boolean;
}

const total = (label: string, colour: string, text: string): Line => ({
  label, colour, pick: ({ kind, cells }) => kind === 'total' && cells[0] === text,
});

const LINES: Record<string, readonly Line[]> = {
  'balance-sheet': [total('Assets', '--accent', 'Total assets'), total('Liabilities', '--negative', 'Total liabilities'), total('Net worth', '--positive', 'Total equity')],
  'income-statement': [
    total('Income', '--accent', 'Total income'), total('Expenses', '--negative', 'Total expenses'),
    { label: 'Result', colour: '--positive', pick: ({ kind }) => kind === 'result' },
  ],
  'cash-flow': [{ label: 'Closing cash', colour: '--accent', pick: ({ kind, cells }) => kind === 'balance' && cells[0] === 'Closing cash' }],
};

/** The totals of a report with a column for each month, quarter or year. */
export function ReportChart({ report }: { readonly report: Report }) {
  const chart = useMemo(() => {
    const columns = report.columns.flatMap((column, index) => {
      const period = column.kind === 'amount' ? parsePeriod(column.key) : undefined;
      return period ? [{ index, day: period.to }] : [];
    });
    const series = (LINES[report.report] ?? []).flatMap(({ label, colour, pick }) => {
      const row = report.rows.find(pick);
      if (!row) return [];
      // Numbers are good enough for drawing; the figures stand below.
      return [{ label, colour, values: columns.map(({ index }) => (row.cells[index] ? toNumber(parseDecimal(row.cells[index])) : null)) }];
    });
    return { days: columns.map(({ day }) => day), series };
  }, [report]);
  if (chart.days.length < 3 || chart.series.length === 0) return null;
  return (
    <figure className="report-chart">
      <figcaption>
        {chart.series.map(({ label, colour }) => <span key={label}><i style={{ background: `var(${colour})` }} /> {label}</span>)}
      </figcaption>
      <TimeChart label={`${report.title}: ${chart.series.map(({ label }) => label).join(', ')}. The table below has the figures.`} days={chart.days} series={chart.series} height={150} />
    </figure>
  );
}
