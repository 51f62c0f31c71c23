import { formatDay, type DatePattern } from '~/lib/dates';

/** An instant in milliseconds as day and time in the zone of the book: `27/11/2026 14:05`. */
export function formatInstant(milliseconds: string, pattern: DatePattern, timeZone: string | undefined): string {
  if (!/^\d+$/.test(milliseconds)) return milliseconds;
  const date = new Date(Number(milliseconds));
  const parts = (zone: string | undefined) => {
    const options: Intl.DateTimeFormatOptions = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
    const format = new Intl.DateTimeFormat('en-CA', zone ? { ...options, timeZone: zone } : options);
    return new Map(format.formatToParts(date).map(({ type, value }) => [type, value]));
  };
  let found: Map<string, string>;
  try {
    found = parts(timeZone);
  } catch {
    // The browser does not know the zone.
    found = parts(undefined);
  }
  const day = `${found.get('year')}-${found.get('month')}-${found.get('day')}`;
  return `${formatDay(day, pattern)} ${found.get('hour')}:${found.get('minute')}`;
}
