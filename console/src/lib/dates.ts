/**
 * Calendar days as `yyyy-MM-dd` texts, date entry and periods. All arithmetic is on days in UTC; only
 * `today` knows a time zone.
 */

export type DatePattern = 'dd/MM/yyyy' | 'MM/dd/yyyy' | 'yyyy/MM/dd';

const DAY_MS = 86_400_000;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const LONG_MONTHS = [
  'January', 'February', 'March', 'April', 'May', 'June',
  'July', 'August', 'September', 'October', 'November', 'December',
];
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

const pad = (value: number, width = 2): string => String(value).padStart(width, '0');

/** The day as `yyyy-MM-dd`, or undefined where the calendar does not have it. */
export function makeDay(year: number, month: number, day: number): string | undefined {
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  return `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

export function parts(day: string): [year: number, month: number, day: number] {
  return [Number(day.slice(0, 4)), Number(day.slice(5, 7)), Number(day.slice(8, 10))];
}

export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && makeDay(...parts(text)) !== undefined;
}

export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);
}

/** Adds months and keeps the day of the month, or takes the last one: 31 January + 1 is 28 February. */
export function addMonths(day: string, count: number): string {
  const [year, month, dayOfMonth] = parts(day);
  const index = year * 12 + (month - 1) + count;
  const [newYear, newMonth] = [Math.floor(index / 12), (index % 12) + 1];
  return makeDay(newYear, newMonth, Math.min(dayOfMonth, daysInMonth(newYear, newMonth))) ?? day;
}

export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00Z`) - Date.parse(`${from}T00:00Z`)) / DAY_MS);
}

/** 0 is Sunday. */
export function weekday(day: string): number {
  return new Date(`${day}T00:00Z`).getUTCDay();
}

/** Today in the zone of the book; in that of the browser if the browser does not know the zone. */
export function today(timeZone?: string, now: Date = new Date()): string {
  const options: Intl.DateTimeFormatOptions = { year: 'numeric', month: '2-digit', day: '2-digit' };
  try {
    return new Intl.DateTimeFormat('en-CA', timeZone ? { ...options, timeZone } : options).format(now);
  } catch {
    return new Intl.DateTimeFormat('en-CA', options).format(now);
  }
}

/** The day in the pattern of the book. */
export function formatDay(day: string, pattern: DatePattern): string {
  return pattern.replace('yyyy', day.slice(0, 4)).replace('MM', day.slice(5, 7)).replace('dd', day.slice(8, 10));
}

/** The day in words, for labels and screen readers: `Mon 2 Mar 2026`. */
export function formatDayLong(day: string): string {
  const [year, month, dayOfMonth] = parts(day);
  const name = WEEKDAYS[weekday(day)]!;
  return `${name[0]!.toUpperCase()}${name.slice(1, 3)} ${dayOfMonth} ${MONTHS[month - 1]} ${year}`;
}

/**
 * Reads what a person typed into a date field:
 * - `today`, `t`, `yesterday`, `y`, `tomorrow`
 * - `-3`, `+2`: days from today
 * - `mon`: the latest Monday up to today
 * - `15`: that day of the current month
 * - `15/3`, `15.3.`, `3-15` in the order of the book's pattern: this year
 * - a full date in the book's pattern, with any separator and two or four digits of the year, or ISO
 */
export function readDay(text: string, pattern: DatePattern, now: string): string | undefined {
  const typed = text.trim().toLowerCase();
  if (!typed) return undefined;
  if ('today'.startsWith(typed) && typed !== 'to') return now;
  if (typed === 'y' || (typed.length >= 3 && 'yesterday'.startsWith(typed))) return addDays(now, -1);
  if (typed.length >= 3 && 'tomorrow'.startsWith(typed)) return addDays(now, 1);
  if (/^[+\-\u2212]\d{1,4}$/.test(typed)) return addDays(now, Number(typed.replace('\u2212', '-')));
  if (typed.length >= 2) {
    const index = WEEKDAYS.findIndex((name) => name.startsWith(typed));
    if (index >= 0) return addDays(now, -((weekday(now) - index + 7) % 7));
  }
  const [year, month] = parts(now);
  if (/^\d{1,2}\.?$/.test(typed)) return makeDay(year, month, Number.parseInt(typed, 10));
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(typed);
  if (iso) return makeDay(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  return readInPattern(typed, pattern, year);
}

function readInPattern(typed: string, pattern: DatePattern, currentYear: number): string | undefined {
  const match = /^(\d{1,4})[-/. ](\d{1,2})(?:[-/. ](\d{1,4}))?\.?$/.exec(typed);
  if (!match) return undefined;
  const numbers = match.slice(1).filter((part) => part !== undefined).map(Number);
  const order = pattern.split('/').filter((field) => numbers.length === 3 || field !== 'yyyy');
  const field = (name: string) => numbers[order.indexOf(name)];
  let year = field('yyyy') ?? currentYear;
  if (year < 100) year += Math.floor(currentYear / 100) * 100;
  return makeDay(year, field('MM') ?? 0, field('dd') ?? 0);
}

/**
 * A period in the notation of reports (behaviour 13.2): `2026`, `2026-03`, `2026-Q2`, `2026-03-15`, `FY2026`
 * or `2026-01-15..2026-03-31` with both days included.
 */
export interface Period {
  readonly kind: 'year' | 'fiscalYear' | 'quarter' | 'month' | 'day' | 'range';
  /** First and last day. */
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** `fiscalStart` is the month that begins a fiscal year, 1 to 12. */
export function parsePeriod(text: string, fiscalStart = 1): Period | undefined {
  const typed = text.trim();
  const range = /^(\d{4}-\d{2}-\d{2})\.\.(\d{4}-\d{2}-\d{2})$/.exec(typed);
  if (range) {
    const [from, to] = [range[1]!, range[2]!];
    return isDay(from) && isDay(to) && from <= to ? { kind: 'range', from, to, text: typed } : undefined;
  }
  if (isDay(typed)) return { kind: 'day', from: typed, to: typed, text: typed };
  const match = /^(FY)?(\d{4})(?:-(?:(\d{2})|Q([1-4])))?$/i.exec(typed);
  if (!match) return undefined;
  const year = Number(match[2]);
  if (year === 0) return undefined;
  if (match[1]) return match[3] || match[4] ? undefined : monthsFrom('fiscalYear', year, fiscalStart, 12);
  if (match[3]) return monthsFrom('month', year, Number(match[3]), 1);
  if (match[4]) return monthsFrom('quarter', year, Number(match[4]) * 3 - 2, 3);
  return monthsFrom('year', year, 1, 12);
}

function monthsFrom(kind: Period['kind'], year: number, month: number, length: number): Period | undefined {
  const from = makeDay(year, month, 1);
  const last = year * 12 + month - 2 + length;
  const [lastYear, lastMonth] = [Math.floor(last / 12), (last % 12) + 1];
  const to = makeDay(lastYear, lastMonth, daysInMonth(lastYear, lastMonth));
  if (!from || !to) return undefined;
  const text = {
    year: pad(year, 4),
    fiscalYear: `FY${pad(year, 4)}`,
    quarter: `${pad(year, 4)}-Q${Math.ceil(month / 3)}`,
    month: from.slice(0, 7),
    day: from,
    range: `${from}..${to}`,
  }[kind];
  return { kind, from, to, text };
}

export function periodOf(kind: 'year' | 'quarter' | 'month', day: string): Period {
  const [year, month] = parts(day);
  const found =
    kind === 'year'
      ? monthsFrom('year', year, 1, 12)
      : kind === 'quarter'
        ? monthsFrom('quarter', year, month - ((month - 1) % 3), 3)
        : monthsFrom('month', year, month, 1);
  return found!;
}

/** The fiscal year that a day belongs to. */
export function fiscalYearOf(day: string, fiscalStart: number): Period {
  const [year, month] = parts(day);
  return monthsFrom('fiscalYear', month >= fiscalStart ? year : year - 1, fiscalStart, 12)!;
}

/** The next (1) or previous (-1) period of the same kind; a range moves by its length. */
export function stepPeriod(period: Period, direction: 1 | -1): Period {
  const [year, month] = parts(period.from);
  const months = { year: 12, fiscalYear: 12, quarter: 3, month: 1, day: 0, range: 0 }[period.kind];
  if (months) {
    const from = addMonths(period.from, months * direction);
    const [newYear, newMonth] = parts(from);
    return monthsFrom(period.kind, newYear, newMonth, months) ?? period;
  }
  const length = (daysBetween(period.from, period.to) + 1) * direction;
  const from = addDays(period.from, length);
  const to = addDays(period.to, length);
  if (period.kind === 'day') return { kind: 'day', from, to: from, text: from };
  // Whole months move by months, so that "Jan to Mar" becomes "Apr to Jun".
  if (month && period.from.endsWith('-01') && addDays(period.to, 1).endsWith('-01')) {
    const [endYear, endMonth] = parts(addDays(period.to, 1));
    const span = (endYear - year) * 12 + endMonth - month;
    const start = addMonths(period.from, span * direction);
    const end = addDays(addMonths(start, span), -1);
    return { kind: 'range', from: start, to: end, text: `${start}..${end}` };
  }
  return { kind: 'range', from, to, text: `${from}..${to}` };
}

/** The period as terms of the query language (1.3.4): `after:` includes its day, `before:` does not. */
export function periodTerms(period: Period | undefined): string {
  if (!period) return '';
  if (period.kind === 'year' || period.kind === 'month' || period.kind === 'day') return `on:${period.text}`;
  return `after:${period.from} before:${addDays(period.to, 1)}`;
}

/** The name that people read: `November 2026`, `Q2 2026`, `15 Jan – 31 Mar 2026`. */
export function periodLabel(period: Period): string {
  const [year, month, day] = parts(period.from);
  const [endYear, endMonth, endDay] = parts(period.to);
  switch (period.kind) {
    case 'year':
      return String(year);
    case 'fiscalYear':
      return year === endYear ? `FY ${year}` : `FY ${year}/${pad(endYear % 100)}`;
    case 'quarter':
      return `Q${Math.ceil(month / 3)} ${year}`;
    case 'month':
      return `${LONG_MONTHS[month - 1]} ${year}`;
    case 'day':
      return `${day} ${MONTHS[month - 1]} ${year}`;
    case 'range':
      return `${day} ${MONTHS[month - 1]}${year === endYear ? '' : ` ${year}`} – ${endDay} ${MONTHS[endMonth - 1]} ${endYear}`;
  }
}
