/** The history of a transaction: its events as differences that people read (behaviour 8.1 to 8.4). */
import type { components } from '~/api/schema';
import type { Transaction } from '~/api/types';

export type Event = components['schemas']['Event'];

export interface Difference {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

export interface HistoryFormats {
  readonly day: (iso: string) => string;
  readonly amount: (plain: string) => string;
  /** The name of an account by its id. */
  readonly account: (id: string) => string | undefined;
  readonly from: string;
  readonly to: string;
}

const LABELS: Readonly<Record<string, string>> = {
  TRANSACTION_CREATED: 'Drafted',
  TRANSACTION_POSTED: 'Posted',
  TRANSACTION_UPDATED: 'Changed',
  TRANSACTION_CHECKED: 'Checked',
  TRANSACTION_UNCHECKED: 'Unchecked',
  TRANSACTION_DELETED: 'Moved to the trash',
  TRANSACTION_RESTORED: 'Restored',
  COMMENT_CREATED: 'Commented',
  COMMENT_DELETED: 'Deleted a comment',
};

export const eventLabel = (type: string): string => LABELS[type] ?? type.toLowerCase().replaceAll('_', ' ');

/** The transaction of an event, as it was then. */
export function transactionOf(event: Event): Transaction | undefined {
  return (event.data.object as { transaction?: Transaction }).transaction;
}

/** The changed fields of an update, in the order that forms have. */
export function differencesOf(event: Event, formats: HistoryFormats): Difference[] {
  const now = transactionOf(event);
  const before = event.data.previousAttributes;
  if (!now || !before) return [];
  const files = (list: string) => countOf(list, 'file');
  const known: Record<string, (old: string) => Difference> = {
    dateValue: (old) => ({ name: 'Date', before: old && formats.day(isoOf(old)), after: now.date ? formats.day(now.date) : '' }),
    description: (old) => ({ name: 'Description', before: old, after: now.description ?? '' }),
    amount: (old) => ({ name: 'Amount', before: old && formats.amount(old), after: now.amount ? formats.amount(now.amount) : '' }),
    creditAccId: (old) => ({ name: formats.from, before: old && (formats.account(old) ?? old), after: now.creditAccount?.name ?? '' }),
    debitAccId: (old) => ({ name: formats.to, before: old && (formats.account(old) ?? old), after: now.debitAccount?.name ?? '' }),
    urls: (old) => ({ name: 'Links', before: listText(old), after: (now.urls ?? []).join(', ') }),
    remoteIds: (old) => ({ name: 'Remote ids', before: listText(old), after: (now.remoteIds ?? []).join(', ') }),
    files: (old) => ({ name: 'Files', before: files(old), after: (now.files ?? []).map(({ name }) => name ?? '').join(', ') || 'none' }),
  };
  const order = Object.keys(known);
  const keys = Object.keys(before).sort((a, b) => rankOf(order, a) - rankOf(order, b));
  return keys.map((key) => known[key]?.(before[key]!) ?? { name: key, before: before[key]!, after: now.properties?.[key] ?? '' });
}

const rankOf = (order: readonly string[], key: string): number => (order.includes(key) ? order.indexOf(key) : order.length);

/** `20260301` as `2026-03-01`. */
function isoOf(value: string): string {
  return /^\d{8}$/.test(value) ? `${value.slice(0, 4)}-${value.slice(4, 6)}-${value.slice(6)}` : value;
}

function parseList(text: string): string[] {
  try {
    const list: unknown = JSON.parse(text || '[]');
    return Array.isArray(list) ? list.map(String) : [];
  } catch {
    return [];
  }
}

const listText = (text: string): string => parseList(text).join(', ');

function countOf(text: string, noun: string): string {
  const count = parseList(text).length;
  return count === 0 ? 'none' : `${count} ${noun}${count === 1 ? '' : 's'}`;
}
