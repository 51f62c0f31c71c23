/** Instants of the API (milliseconds as digits) for people. */

/** The day and time in a zone: `27 Nov 2026, 15:07`. */
export function formatInstant(milliseconds: string | number | undefined | null, timeZone?: string): string {
  const value = Number(milliseconds);
  if (!milliseconds || !Number.isFinite(value)) return '';
  const options: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  try {
    return new Intl.DateTimeFormat('en-GB', timeZone ? { ...options, timeZone } : options).format(value);
  } catch {
    return new Intl.DateTimeFormat('en-GB', options).format(value);
  }
}

const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000], ['month', 2_592_000], ['day', 86_400], ['hour', 3_600], ['minute', 60],
];

/** The distance from now: `3 hours ago`, `in 12 days`, `just now`. */
export function formatDistance(milliseconds: string | number | undefined | null, now: number = Date.now()): string {
  const value = Number(milliseconds);
  if (!milliseconds || !Number.isFinite(value)) return '';
  const seconds = Math.round((value - now) / 1000);
  const step = STEPS.find(([, size]) => Math.abs(seconds) >= size);
  if (!step) return 'just now';
  return new Intl.RelativeTimeFormat('en', { numeric: 'always' }).format(Math.trunc(seconds / step[1]), step[0]);
}
