/** State of a report in the URL, and the parameters of the API that follow from it. */
import { addDays, addMonths, daysInMonth, parsePeriod, parts, stepPeriod, type Period } from '~/lib/dates';
import { REPORTS, type ReportName } from './names';

export interface ReportState {
  readonly name: ReportName;
  readonly period: Period | undefined;
  /** `previous`, `year`, a period, or the id of another book; '' for none. */
  readonly compare: string;
  /** `month`, `quarter`, `year` or hashtags with commas. */
  readonly columns: string;
  readonly depth: string;
  readonly zeros: boolean;
  readonly query: string;
  /** Of `changes`: the event after which they begin. */
  readonly after: string;
}

export interface ReportQuery {
  readonly period?: string;
  readonly after?: string;
  readonly compare?: string;
  readonly columns?: string;
  readonly depth?: string;
  readonly query?: string;
  readonly zeros?: string;
}

/** The parameters of getReport. Those that the report does not have are left out, because it refuses them. */
export function reportQuery(state: ReportState): ReportQuery {
  const kind = REPORTS[state.name];
  const compare = kind.hasCompare && !state.columns ? comparison(state.compare, state.period) : '';
  return {
    ...(state.period ? { period: state.period.text } : {}),
    ...(state.name === 'changes' && state.after ? { after: state.after } : {}),
    ...(compare ? { compare } : {}),
    ...(kind.hasColumns && state.columns ? { columns: state.columns } : {}),
    ...(kind.hasDepth && state.depth ? { depth: state.depth } : {}),
    ...(kind.hasQuery && state.query ? { query: state.query } : {}),
    ...(kind.hasZeros && state.zeros ? { zeros: 'true' } : {}),
  };
}

/** The period or book that `compare` stands for. `previous` and `year` follow the period when it is stepped. */
export function comparison(compare: string, period: Period | undefined): string {
  if (compare === 'previous') return period ? stepPeriod(period, -1).text : '';
  if (compare === 'year') return period ? yearBefore(period).text : '';
  return compare;
}

/** The same period one year earlier. The end of a month stays the end of a month. */
export function yearBefore(period: Period): Period {
  if (period.kind === 'year' || period.kind === 'fiscalYear') return stepPeriod(period, -1);
  const from = addMonths(period.from, -12);
  if (period.kind === 'day') return { kind: 'day', from, to: from, text: from };
  const [year, month] = parts(period.to);
  const isMonthEnd = addDays(period.to, 1).endsWith('-01');
  const to = isMonthEnd ? `${period.to.slice(0, 8).replace(String(year), String(year - 1).padStart(4, '0'))}${daysInMonth(year - 1, month)}` : addMonths(period.to, -12);
  if (period.kind === 'range') return { kind: 'range', from, to, text: `${from}..${to}` };
  const text = period.text.replace(/^\d{4}/, String(year - 1).padStart(4, '0'));
  return parsePeriod(text) ?? { kind: 'range', from, to, text: `${from}..${to}` };
}

/** Hashtags as the API takes them: `#a,#b`. Reads them with or without `#`, separated by commas or spaces. */
export function readHashtags(text: string): string {
  const tags = text.split(/[\s,]+/).map((tag) => tag.replace(/^#+/, '')).filter(Boolean);
  return [...new Set(tags)].map((tag) => `#${tag}`).join(',');
}
