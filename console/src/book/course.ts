/** The course of a book by month, read from the balance sheet and the income statement (behaviour 13). */
import { addDays, addMonths, periodOf } from '~/lib/dates';
import { decimalOrZero, subtract, type Decimal } from '~/lib/money';

/** The parts of a report that the overview reads. */
export interface ReportTable {
  readonly columns?: readonly { readonly key?: string; readonly kind?: string }[];
  readonly rows?: readonly { readonly kind?: string; readonly cells?: readonly string[] }[];
}

export interface MonthFigures {
  /** `2026-03` */
  readonly month: string;
  /** The last day of the month. */
  readonly day: string;
  readonly income: Decimal;
  readonly expenses: Decimal;
  readonly result: Decimal;
  readonly netWorth: Decimal;
}

/** The period of the last `count` months, this one included, in the notation of reports. */
export function monthsUpTo(today: string, count: number): string {
  const { from, to } = periodOf('month', today);
  return `${addMonths(from, 1 - count)}..${to}`;
}

function totals(report: ReportTable, label: string): Map<string, Decimal> {
  const row = report.rows?.find(({ kind, cells }) => kind === 'total' && cells?.[0] === label);
  const byMonth = new Map<string, Decimal>();
  report.columns?.forEach(({ key, kind }, index) => {
    if (kind === 'amount' && key && /^\d{4}-\d{2}/.test(key)) byMonth.set(key.slice(0, 7), decimalOrZero(row?.cells?.[index]));
  });
  return byMonth;
}

/** The first amount of a total; zero where the report has none. */
export function readTotals(report: ReportTable, label: string): Decimal {
  const row = report.rows?.find(({ kind, cells }) => kind === 'total' && cells?.[0] === label);
  const index = report.columns?.findIndex(({ kind }) => kind === 'amount') ?? -1;
  return decimalOrZero(row?.cells?.[index]);
}

export function readCourse(balanceSheet: ReportTable, incomeStatement: ReportTable): MonthFigures[] {
  const assets = totals(balanceSheet, 'Total assets');
  const liabilities = totals(balanceSheet, 'Total liabilities');
  const income = totals(incomeStatement, 'Total income');
  const expenses = totals(incomeStatement, 'Total expenses');
  return [...assets].map(([month, value]) => {
    const zero = decimalOrZero('');
    const earned = income.get(month) ?? zero;
    const spent = expenses.get(month) ?? zero;
    return {
      month,
      day: monthEnd(month),
      income: earned,
      expenses: spent,
      result: subtract(earned, spent),
      netWorth: subtract(value, liabilities.get(month) ?? zero),
    };
  });
}

function monthEnd(month: string): string {
  return addDays(addMonths(`${month}-01`, 1), -1);
}

const NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Mar 2026` for a day or month. */
export function monthLabel(day: string): string {
  return `${NAMES[Number(day.slice(5, 7)) - 1]} ${day.slice(0, 4)}`;
}
