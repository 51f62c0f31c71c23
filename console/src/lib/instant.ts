import { formatDay, today, type DatePattern } from './dates';

/** An instant in milliseconds, in the zone and the date pattern of the book: `27/11/2026 14:05`. Other text stays. */
export function formatInstant(milliseconds: string | number, pattern: DatePattern, timeZone: string | undefined): string {
  if (typeof milliseconds === 'string' && !/^\d+$/.test(milliseconds)) return milliseconds;
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
