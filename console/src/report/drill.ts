/** From a figure of a report to the transactions behind it. */
import { accountPath, groupPath, bookPath } from '~/book/paths';
import { fiscalYearOf, isDay, parsePeriod, type Period } from '~/lib/dates';
import { joinQuery, term } from '~/lib/query';
import type { ReportName } from './names';
import type { ReportColumn, TreeRow } from './rows';

export interface DrillContext {
  readonly bookId: string;
  readonly name: ReportName;
  /** First and last day of the report; `from` is absent in a balance sheet. */
  readonly from: string | undefined;
  readonly until: string;
  readonly query: string;
  /** A period or the id of another book. */
  readonly compare: string;
  readonly fiscalStart: number;
  /** Groups that mark cash accounts (13.5), for the cash flow. */
  readonly cashGroups: readonly string[];
}

interface Target {
  readonly bookId: string;
  readonly period: string;
  readonly tag: string;
}

/** The path of the list that explains a figure, or undefined if no single list does. */
export function drillPath(row: TreeRow, column: ReportColumn, context: DrillContext): string | undefined {
  if (column.kind !== 'amount') return undefined;
  const target = targetOf(column, context);
  if (!target) return undefined;
  const query = joinQuery(context.query, target.tag, context.name === 'income-statement' ? '-#closing' : '');
  const search = (text: string) => `?${new URLSearchParams({ period: target.period, ...(text ? { q: text } : {}) })}`;
  const { accountId, groupId } = row.row;
  if (target.bookId !== context.bookId) {
    const name = row.row.kind === 'line' ? (row.row.cells[0] ?? '') : '';
    return name ? `${bookPath(target.bookId, 'transactions')}${search(joinQuery(term('account', name), query, 'is:posted'))}` : undefined;
  }
  if (context.name === 'cash-flow') return cashPath(row, target, query, context);
  if (accountId) return accountPath(context.bookId, accountId) + search(query);
  if (groupId) return groupPath(context.bookId, groupId) + search(query);
  const types = typesOf(row);
  return types && `${bookPath(context.bookId, 'transactions')}${search(joinQuery(types, query, 'is:posted'))}`;
}

/** Cash flows are transactions between the account and a cash account. */
function cashPath(row: TreeRow, target: Target, query: string, context: DrillContext): string | undefined {
  const { accountId, groupId } = row.row;
  const other = accountId ? `account:${accountId}` : groupId ? `group:${groupId}` : '';
  if (!other || context.cashGroups.length === 0) return undefined;
  const cash = context.cashGroups.map((id) => `group:${id}`);
  const search = new URLSearchParams({ period: target.period, q: joinQuery(other, cash.length > 1 ? `(${cash.join(' OR ')})` : cash[0], query, 'is:posted') });
  return `${bookPath(context.bookId, 'transactions')}?${search}`;
}

/** The terms for sums over a whole section. Equity has no term of its own. */
function typesOf(row: TreeRow): string | undefined {
  const { kind } = row.row;
  if (kind === 'total' && row.section === 'Assets') return 'type:ASSET';
  if (kind === 'total' && row.section === 'Income') return 'type:INCOMING';
  if (kind === 'total' && row.section === 'Expenses') return 'type:OUTGOING';
  if (kind === 'result' && row.section !== 'Equity') return '(type:INCOMING OR type:OUTGOING)';
  return undefined;
}

function targetOf(column: ReportColumn, context: DrillContext): Target | undefined {
  const { bookId, from, until, fiscalStart, compare } = context;
  const whole: Period | undefined = from ? parsePeriod(`${from}..${until}`) : undefined;
  const upTo = (day: string) => `${fiscalYearOf(day, fiscalStart).from}..${day}`;
  const own = shorten(whole?.text ?? upTo(until), fiscalStart);
  switch (column.key) {
    case 'difference':
    case 'percent':
      return undefined;
    case 'yearToDate':
      return { bookId, period: upTo(until), tag: '' };
    case 'comparison': {
      const period = parsePeriod(compare, fiscalStart);
      if (!period) return { bookId: compare, period: own, tag: '' };
      return { bookId, period: from ? period.text : upTo(period.to), tag: '' };
    }
  }
  if (column.key.startsWith('#')) return { bookId, period: own, tag: column.key };
  if (isDay(column.key) && !from) return { bookId, period: upTo(column.key), tag: '' };
  return { bookId, period: parsePeriod(column.key, fiscalStart)?.text ?? own, tag: '' };
}

/** Writes whole months, quarters and years in their short form, so that the period control can step them. */
function shorten(range: string, fiscalStart: number): string {
  const period = parsePeriod(range);
  if (!period) return range;
  const [year, month] = [period.from.slice(0, 4), period.from.slice(0, 7)];
  const quarter = `${year}-Q${Math.ceil(Number(period.from.slice(5, 7)) / 3)}`;
  for (const text of [month, quarter, year, `FY${year}`]) {
    const short = parsePeriod(text, fiscalStart);
    if (short?.from === period.from && short.to === period.to) return text;
  }
  return range;
}
