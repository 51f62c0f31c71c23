/** What drafts lack, which of them are due, and how the fields of one are edited. */
import type { Transaction } from '~/api/types';
import { parseDecimal, toPlain } from '~/lib/money';

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

/** The fields as texts and ids; '' is empty. */
export interface DraftFields {
  readonly date: string;
  readonly from: string;
  readonly to: string;
  /** A plain decimal. */
  readonly amount: string;
  readonly description: string;
}

export function toFields(row: Transaction): DraftFields {
  return {
    date: row.date ?? '',
    from: row.creditAccount?.id ?? '',
    to: row.debitAccount?.id ?? '',
    amount: row.amount ? toPlain(parseDecimal(row.amount)) : '',
    description: row.description ?? '',
  };
}

/** The update of a draft. All fields are given, because an absent one is cleared (3.10.2). */
export function toUpdate(id: string, { date, from, to, amount, description }: DraftFields): Transaction {
  return {
    id,
    date: date || null,
    amount: amount || null,
    creditAccount: from ? { id: from } : null,
    debitAccount: to ? { id: to } : null,
    description,
  };
}

/** Applies what was changed in one draft of a series to a later one; each keeps its own date. */
export function toLater(later: Transaction, before: DraftFields, after: DraftFields): Transaction {
  const own = toFields(later);
  const pick = (field: keyof DraftFields) => (after[field] === before[field] ? own[field] : after[field]);
  return toUpdate(later.id!, { date: own.date, from: pick('from'), to: pick('to'), amount: pick('amount'), description: pick('description') });
}

/** A new draft with the content of a transaction, for the undo of posting. */
export function asDraft(row: Transaction): Transaction {
  return {
    ...(row.date ? { date: row.date } : {}),
    ...(row.amount ? { amount: row.amount } : {}),
    ...(row.creditAccount?.id ? { creditAccount: { id: row.creditAccount.id } } : {}),
    ...(row.debitAccount?.id ? { debitAccount: { id: row.debitAccount.id } } : {}),
    description: row.description ?? '',
    properties: Object.fromEntries(Object.entries(row.properties ?? {}).filter(([key]) => !key.endsWith('_'))),
    remoteIds: row.remoteIds ?? [],
    urls: row.urls ?? [],
    files: (row.files ?? []).map(({ id }) => ({ id: id! })),
    draft: true,
  };
}
