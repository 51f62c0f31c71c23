/** The arithmetic of a reconciliation: which rows are ticked, and what is still missing (behaviour 14.4). */
import type { Account, Transaction } from '~/api/types';
import { add, decimalOrZero, isZero, parseDecimal, subtract, sum, ZERO, type Decimal } from '~/lib/money';
import { effect } from '~/lib/signs';
import { rowsByLine } from '~/transaction/lines';
import type { Reconciliation } from './queries';

/** What a row adds to the account, in people's sign. */
export function rowEffect(row: Transaction, account: Account): Decimal {
  if (!row.amount || row.trashed) return ZERO;
  const side = row.creditAccount?.id === account.id ? 'credit' : row.debitAccount?.id === account.id ? 'debit' : undefined;
  return side ? effect(parseDecimal(row.amount), side, account.credit) : ZERO;
}

/** The reconciliation of the account that the row is on. */
export function reconciliationOf(row: Transaction, accountId: string): string | undefined {
  const own = row.creditAccount?.id === accountId ? row.creditAccount : row.debitAccount;
  return own?.reconciliationId;
}

/** The rows that a sheet offers: its own, and those that are on no reconciliation. Oldest first, as on statements. */
export function sheetRows(rows: readonly Transaction[], accountId: string, sheetId: string | undefined): Transaction[] {
  const seen = new Set<string>();
  return rows
    .filter((row) => {
      const on = reconciliationOf(row, accountId);
      if (seen.has(row.id!) || (on !== undefined && on !== sheetId)) return false;
      seen.add(row.id!);
      return true;
    })
    .sort((a, b) => (a.date ?? '').localeCompare(b.date ?? '') || (a.createdAt ?? '').localeCompare(b.createdAt ?? ''));
}

/** The ids with those of the other legs on the same lines: a tick takes all legs or none. */
export function withLegIds(rows: readonly Transaction[], ids: readonly string[]): string[] {
  const wanted = new Set(ids);
  return rowsByLine(rows).filter((line) => line.some(({ id }) => wanted.has(id!))).flatMap((line) => line.map(({ id }) => id!));
}

/** What the rows of a line add to the account. */
export function lineEffect(rows: readonly Transaction[], account: Account): Decimal {
  return sum(rows.map((row) => rowEffect(row, account)));
}

/** The other accounts of a line. */
export function otherAccounts(rows: readonly Transaction[], accountId: string): string[] {
  return [...new Set(rows.map((row) => (row.creditAccount?.id === accountId ? row.debitAccount : row.creditAccount)?.name ?? ''))];
}

export interface Totals {
  readonly movement: Decimal;
  readonly difference: Decimal;
  readonly isEqual: boolean;
}

export function totals(rows: readonly Transaction[], ticked: ReadonlySet<string>, account: Account, opening: Decimal, closing: Decimal): Totals {
  let movement = ZERO;
  for (const row of rows) if (ticked.has(row.id!)) movement = add(movement, rowEffect(row, account));
  const difference = subtract(subtract(closing, opening), movement);
  return { movement, difference, isEqual: isZero(difference) };
}

/** The closing balance of the last statement up to a day; `list` is newest first. Zero before the first one. */
export function openingBalance(list: readonly Reconciliation[], date: string): { readonly balance: Decimal; readonly from: Reconciliation | undefined } {
  const from = list.find((item) => item.date <= date);
  return { balance: decimalOrZero(from?.closingBalance), from };
}

/** What a save sends: ids that were ticked and unticked since the last one. */
export function tickChanges(saved: ReadonlySet<string>, ticked: ReadonlySet<string>): { readonly add: string[]; readonly remove: string[] } {
  return { add: [...ticked].filter((id) => !saved.has(id)), remove: [...saved].filter((id) => !ticked.has(id)) };
}
