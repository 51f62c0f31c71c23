/** The day of an instant in a zone, in words: `Friday 27 November 2026`. */
export function dayOf(milliseconds: string, timeZone: string | undefined): string {
  return format(milliseconds, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }, timeZone).replace(',', '');
}

/** The time of day: `15:07:35`. */
export function timeOf(milliseconds: string, timeZone: string | undefined): string {
  return format(milliseconds, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }, timeZone);
}

function format(milliseconds: string, options: Intl.DateTimeFormatOptions, timeZone: string | undefined): string {
  const value = Number(milliseconds);
  if (!Number.isFinite(value)) return milliseconds;
  try {
    return new Intl.DateTimeFormat('en-GB', timeZone ? { ...options, timeZone } : options).format(value);
  } catch {
    return new Intl.DateTimeFormat('en-GB', options).format(value);
  }
}
