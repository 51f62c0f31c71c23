/** What an edit changes: from the fields of a form to the body of an update, and back for its undo. */
import type { Account, Transaction } from '~/api/types';
import { compare, isNegative, negate, parseDecimal, toPlain, type Decimal } from '~/lib/money';
import { effect } from '~/lib/signs';
import { entryIdOf, FROM_BOOK, TO_BOOK } from './lines';

/** The fields of a transaction as forms edit them; '' and undefined stand for absent values. */
export interface Fields {
  readonly date: string;
  readonly description: string;
  readonly amount: Decimal | undefined;
  /** Account ids: the money leaves `from` (credit) and enters `to` (debit). */
  readonly from: string;
  readonly to: string;
}

/** An update without its id. */
export type Change = Pick<Transaction, 'date' | 'description' | 'amount' | 'creditAccount' | 'debitAccount' | 'properties' | 'urls' | 'remoteIds' | 'files'>;

export function fieldsOf(row: Transaction): Fields {
  return {
    date: row.date ?? '',
    description: row.description ?? '',
    amount: row.amount ? parseDecimal(row.amount) : undefined,
    from: row.creditAccount?.id ?? '',
    to: row.debitAccount?.id ?? '',
  };
}

const isSameAmount = (left: Decimal | undefined, right: Decimal | undefined): boolean =>
  left && right ? compare(left, right) === 0 : left === right;

/** The fields that differ, as the body of an update. */
export function changeOf(row: Transaction, next: Fields): Change {
  const old = fieldsOf(row);
  return {
    ...(next.date !== old.date ? { date: next.date || null } : {}),
    ...(next.description.trim() !== old.description.trim() ? { description: next.description.trim() || null } : {}),
    ...(!isSameAmount(next.amount, old.amount) ? { amount: next.amount ? toPlain(next.amount) : null } : {}),
    ...(next.from !== old.from ? { creditAccount: next.from ? { id: next.from } : null } : {}),
    ...(next.to !== old.to ? { debitAccount: next.to ? { id: next.to } : null } : {}),
  };
}

export const isEmptyChange = (change: Change): boolean => Object.keys(change).length === 0;

const sideOf = (account: Account | null | undefined) => (account?.id ? { id: account.id } : null);

/** The change that restores what another one has overwritten. */
export function inverseOf(row: Transaction, change: Change): Change {
  const properties = change.properties && Object.fromEntries(Object.keys(change.properties).map((key) => [key, row.properties?.[key] ?? '']));
  return {
    ...('date' in change ? { date: row.date ?? null } : {}),
    ...('description' in change ? { description: row.description ?? null } : {}),
    ...('amount' in change ? { amount: row.amount ?? null } : {}),
    ...('creditAccount' in change ? { creditAccount: sideOf(row.creditAccount) } : {}),
    ...('debitAccount' in change ? { debitAccount: sideOf(row.debitAccount) } : {}),
    ...(properties ? { properties } : {}),
    ...(change.urls ? { urls: row.urls ?? [] } : {}),
    ...(change.remoteIds ? { remoteIds: row.remoteIds ?? [] } : {}),
    ...(change.files ? { files: (row.files ?? []).map(({ id }) => ({ id: id! })) } : {}),
  };
}

/** The row as it will look after the change; names of accounts come from the lookup. */
export function applyChange(row: Transaction, change: Change, account: (id: string) => Account | undefined): Transaction {
  const side = (value: Account | null | undefined, old: Account | null | undefined) =>
    value === undefined ? old : value?.id ? (account(value.id) ?? value) : null;
  return {
    ...row,
    ...change,
    creditAccount: side(change.creditAccount, row.creditAccount) ?? null,
    debitAccount: side(change.debitAccount, row.debitAccount) ?? null,
    properties: { ...row.properties, ...change.properties },
    files: change.files ?? row.files ?? [],
  };
}

/** The amount of a row as its register shows it. */
export function registerAmount(fields: Fields, account: Account): Decimal | undefined {
  return fields.amount && effect(fields.amount, fields.from === account.id ? 'credit' : 'debit', account.credit);
}

/** The fields after an edit in a register: the sign of the amount decides about the direction. */
export function fromRegister(fields: Fields, account: Account, amount: Decimal | undefined, other: string): Fields {
  const id = account.id!;
  // An amount that raises a credit account leaves it as the credit side.
  const isCredit = amount ? isNegative(amount) !== (account.credit ?? false) : fields.from === id;
  return {
    ...fields,
    amount: amount && isNegative(amount) ? negate(amount) : amount,
    from: isCredit ? id : other,
    to: isCredit ? other : id,
  };
}

export type FieldName = keyof Fields;

/** The fields in which two versions differ. */
export function differingFields(left: Fields, right: Fields): FieldName[] {
  const names: FieldName[] = ['date', 'description', 'amount', 'from', 'to'];
  return names.filter((name) => (name === 'amount' ? !isSameAmount(left.amount, right.amount) : left[name] !== right[name]));
}

/** The opposite of a row, on another day: accounts swapped, with a property that names the row. */
export function reversalOf(row: Transaction, date: string, entryId?: string): Transaction {
  return {
    date,
    amount: row.amount ?? null,
    description: `Reversal: ${row.description ?? ''}`.trim(),
    creditAccount: sideOf(row.debitAccount),
    debitAccount: sideOf(row.creditAccount),
    properties: { reverses: row.id!, ...(entryId ? { entry_id: entryId } : {}) },
  };
}

/** The properties that bind a row to its entry and to other rows. */
const BOUND_PROPERTIES: readonly string[] = ['entry_date', 'entry_id', 'reverses', 'series', FROM_BOOK, TO_BOOK];

/** The properties that an import sets. */
const IMPORT_PROPERTIES: readonly string[] = ['import_run', 'postings', 'source'];

/** A copy for another day. Files, remote ids and the state stay with the original. */
export function duplicateOf(row: Transaction, date: string, entryId?: string): Transaction {
  const isOfImport = row.properties?.['import_run'] !== undefined;
  const isCopied = (key: string) => !BOUND_PROPERTIES.includes(key) && !(isOfImport && IMPORT_PROPERTIES.includes(key));
  const properties = Object.fromEntries(Object.entries(row.properties ?? {}).filter(([key]) => isCopied(key)));
  return {
    date,
    amount: row.amount ?? null,
    description: row.description ?? null,
    creditAccount: sideOf(row.creditAccount),
    debitAccount: sideOf(row.debitAccount),
    urls: row.urls ?? [],
    properties: { ...visible(properties), ...(entryId ? { entry_id: entryId } : {}) },
    draft: !row.posted,
  };
}

/**
 * Copies of rows. Those of an entry belong together and not to the originals: their new id begins with the idempotency
 * key, so that a repetition sends the same.
 */
export function copiesOf(rows: readonly Transaction[], date: string, key: string, copy: (row: Transaction, date: string, entryId?: string) => Transaction): Transaction[] {
  const entries = [...new Set(rows.map(entryIdOf))].filter((id) => id !== undefined);
  return rows.map((row) => {
    const at = entries.indexOf(entryIdOf(row)!);
    return copy(row, date, at < 0 ? undefined : `${key}-${at + 1}`);
  });
}

/** Properties that people see: keys that end with an underscore belong to programs. */
export function visible(properties: Transaction['properties']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(properties ?? {}).flatMap(([key, value]) => (value && !key.endsWith('_') ? [[key, value]] : [])),
  );
}
