/** The course of an account over a period, for a chart. */
import type { AccountBalances } from '~/api/types';
import { addDays, addMonths, daysBetween, makeDay, type Period } from '~/lib/dates';
import { decimalOrZero, isZero } from '~/lib/money';
import { fromRaw } from '~/lib/signs';
import { toNumber } from '~/ui/chartScale';

export type Slice = 'by:d' | 'by:m';

/** A longer period is divided into months. */
const MAX_DAYS = 92;

export function sliceOf(period: Period | undefined): Slice {
  return period && daysBetween(period.from, period.to) < MAX_DAYS ? 'by:d' : 'by:m';
}

export interface Course {
  /** The last day of each slice. */
  readonly days: readonly string[];
  /** Balances of a permanent account, movements of others, in people's sign. */
  readonly values: readonly number[];
}

/** Reads the series of an account (behaviour 5.7). Slices after today without a movement are left out at the end. */
export function readCourse({ balances, permanent, credit }: AccountBalances, today: string): Course {
  const slices = balances.map(({ year, month, day, cumulativeBalance, periodBalance, periodCredit, periodDebit }) => {
    const begin = makeDay(year, month || 1, day || 1)!;
    return {
      begin,
      end: day ? begin : addDays(addMonths(begin, month ? 1 : 12), -1),
      value: toNumber(fromRaw(decimalOrZero(permanent ? cumulativeBalance : periodBalance), credit)),
      isQuiet: isZero(decimalOrZero(periodCredit)) && isZero(decimalOrZero(periodDebit)),
    };
  });
  const last = slices.findLastIndex(({ begin, isQuiet }) => begin <= today || !isQuiet);
  const shown = slices.slice(0, last + 1);
  return { days: shown.map(({ end }) => end), values: shown.map(({ value }) => value) };
}
