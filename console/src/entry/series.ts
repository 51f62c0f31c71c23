/** Dates of a repeated entry. */
import { addDays, addMonths } from '~/lib/dates';

export type RepeatUnit = 'week' | 'month' | 'year';

export interface Repeat {
  readonly unit: RepeatUnit;
  /** Every so many weeks, months or years. */
  readonly every: number;
  /** Number of drafts after the first entry, 1 to 36. */
  readonly count: number;
}

export const MAX_REPEATS = 36;

/**
 * The days of the drafts after the first one. Months and years count from the first day, so 31 October is
 * followed by 30 November and 31 December, as in 3.8.2.8.
 */
export function seriesDays(first: string, { unit, every, count }: Repeat): string[] {
  const step = Math.max(1, Math.trunc(every) || 1);
  const total = Math.min(MAX_REPEATS, Math.max(1, Math.trunc(count) || 1));
  return Array.from({ length: total }, (_, index) => {
    const steps = step * (index + 1);
    return unit === 'week' ? addDays(first, 7 * steps) : addMonths(first, (unit === 'year' ? 12 : 1) * steps);
  }).filter((day) => day > first && day <= '9999-12-31');
}
