/** Closings of a book: the files that closeBook stored, by day (behaviour 13.13). */
import type { components } from '~/api/schema';

export type StoredFile = components['schemas']['File'];

export interface Closing {
  /** The last closed day. */
  readonly date: string;
  /** The number of the last event that its reports include. */
  readonly event: string;
  readonly createdAt: string;
  readonly files: readonly StoredFile[];
}

/** The closings, newest first. A day that was closed twice has two, by their events. */
export function readClosings(files: readonly StoredFile[]): Closing[] {
  const closings = new Map<string, { date: string; event: string; createdAt: string; files: StoredFile[] }>();
  for (const file of files) {
    const date = file.properties?.['closing_date'];
    if (!date) continue;
    const event = file.properties?.['closing_event'] ?? '';
    const key = `${date} ${event}`;
    const known = closings.get(key);
    if (known) known.files.push(file);
    else closings.set(key, { date, event, createdAt: file.createdAt ?? '', files: [file] });
  }
  for (const closing of closings.values()) closing.files.sort((a, b) => (a.name ?? '').localeCompare(b.name ?? ''));
  return [...closings.values()].sort((a, b) => Number(b.event) - Number(a.event) || b.date.localeCompare(a.date));
}

/** The day that is closed next: the end of the month before today, unless the books are closed up to it. */
export function suggestedDay(today: string, closed: string): string {
  const end = new Date(Date.UTC(Number(today.slice(0, 4)), Number(today.slice(5, 7)) - 1, 0)).toISOString().slice(0, 10);
  return end > closed ? end : '';
}
