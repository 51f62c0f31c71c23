import { formatDay, today, type DatePattern } from '~/lib/dates';

/** An instant in the zone and the date pattern of the book: `27/11/2026 14:05`. */
export function formatInstant(milliseconds: string | number, pattern: DatePattern, timeZone: string | undefined): string {
  const instant = new Date(Number(milliseconds));
  const time = (zone: string | undefined) =>
    new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', ...(zone ? { timeZone: zone } : {}) }).format(instant);
  try {
    return `${formatDay(today(timeZone, instant), pattern)} ${time(timeZone)}`;
  } catch {
    // The browser may not know the zone.
    return `${formatDay(today(undefined, instant), pattern)} ${time(undefined)}`;
  }
}
