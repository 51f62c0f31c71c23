/** What drafts lack, and which of them are due. */
import type { Transaction } from '~/api/types';
import { joinQuery } from '~/lib/query';
import { entryIdOf } from '~/transaction/lines';

export type Field = 'date' | 'from' | 'to' | 'amount';

/** The fields without which a draft cannot be posted (3.1.2). */
export function missingFields(row: Transaction): Field[] {
  const present: Record<Field, unknown> = { date: row.date, from: row.creditAccount?.id, to: row.debitAccount?.id, amount: row.amount };
  return (Object.keys(present) as Field[]).filter((field) => !present[field]);
}

/** Drafts of a later day are upcoming. One without a date waits for a person, so it is due. */
export function isDue(row: Transaction, today: string): boolean {
  return !row.date || row.date <= today;
}

/** The query of the drafts in a tray. */
export function trayQuery(tray: string, text: string): string {
  const later = 'after:$d+1';
  return joinQuery('is:draft', tray === 'upcoming' ? later : `-(${later})`, text);
}

/** Complete drafts that are due and not on a locked day. A leg waits for all others of its entry. */
export function postable(rows: readonly Transaction[], today: string, lockedUntil: string): Transaction[] {
  const isReady = (row: Transaction) => missingFields(row).length === 0 && isDue(row, today) && row.date! > lockedUntil;
  const waiting = new Set(rows.filter((row) => !isReady(row)).map(entryIdOf));
  return rows.filter((row) => isReady(row) && !(entryIdOf(row) && waiting.has(entryIdOf(row))));
}
