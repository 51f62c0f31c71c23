/**
 * The cells of a budget. A budget is a book of its own with the structure of its book and one transaction
 * for each account and month. Reports compare the two books by the names of accounts (behaviour 13.2).
 */
import type { Account, Transaction } from '~/api/types';
import { add, decimalOrZero, isNegative, isZero, negate, parseDecimal, subtract, toPlain, ZERO, type Decimal } from '~/lib/money';
import { effect } from '~/lib/signs';

/** The transactions of an account and a month. */
export interface Cell {
  readonly value: Decimal;
  readonly rows: readonly Transaction[];
}

export interface CellChange {
  /** Normalized name of the account. */
  readonly name: string;
  /** `2026-03` */
  readonly month: string;
  /** Zero empties the cell. */
  readonly value: Decimal;
}

export const cellKey = (name: string, month: string): string => `${name} ${month}`;

type Side = NonNullable<Transaction['creditAccount']>;

/** Income and expenses have a budget; permanent accounts are the other side of its transactions. */
const isPlanned = (account: Side | null | undefined): account is Side => Boolean(account) && !account!.permanent;

/** What a transaction adds to an account, in people's sign. */
function effectOn(row: Transaction, side: 'credit' | 'debit', account: Side): Decimal {
  return effect(parseDecimal(row.amount!), side, account.credit);
}

export function readCells(rows: readonly Transaction[]): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const row of rows) {
    if (!row.amount || !row.date || row.trashed) continue;
    for (const [side, account] of [['credit', row.creditAccount], ['debit', row.debitAccount]] as const) {
      if (!isPlanned(account)) continue;
      const key = cellKey(account.normalizedName!, row.date.slice(0, 7));
      const cell = cells.get(key) ?? { value: ZERO, rows: [] };
      cells.set(key, { value: add(cell.value, effectOn(row, side, account)), rows: [...cell.rows, row] });
    }
  }
  return cells;
}

export interface CellWrites {
  readonly create: readonly Transaction[];
  readonly update: readonly { readonly before: Transaction; readonly body: Transaction }[];
  readonly trash: readonly Transaction[];
}

/**
 * What to write so that the cells have the values: one transaction for each cell. Others of the cell go to the
 * trash, except those between two planned accounts, which belong to another cell as well.
 */
export function planWrites(
  cells: ReadonlyMap<string, Cell>,
  changes: readonly CellChange[],
  accountOf: (name: string) => Account | undefined,
  balanceId: string,
): CellWrites {
  const create: Transaction[] = [];
  const update: { before: Transaction; body: Transaction }[] = [];
  const trash: Transaction[] = [];
  for (const { name, month, value } of changes) {
    const rows = cells.get(cellKey(name, month))?.rows ?? [];
    const own = rows.filter((row) => !(isPlanned(row.creditAccount) && isPlanned(row.debitAccount)));
    const shared = readCells(rows.filter((row) => !own.includes(row))).get(cellKey(name, month))?.value ?? ZERO;
    const wanted = subtract(value, shared);
    const [first, ...others] = own;
    if (isZero(wanted)) {
      trash.push(...own);
      continue;
    }
    trash.push(...others);
    const account = accountOf(name);
    if (first) {
      const [planned, other] = isPlanned(first.creditAccount) ? [first.creditAccount, first.debitAccount!] : [first.debitAccount!, first.creditAccount!];
      const body = amountBody(planned, other.id!, wanted);
      const isSame = toPlain(decimalOrZero(first.amount)) === body.amount && first.creditAccount?.id === body.creditAccount?.id;
      if (!isSame) update.push({ before: first, body: { id: first.id!, ...body } });
    } else if (account) {
      create.push({ date: `${month}-01`, description: 'Budget', remoteIds: [`budget:${name}:${month}`], ...amountBody(account, balanceId, wanted) });
    }
  }
  return { create, update, trash };
}

/** Amounts are never negative (3.12.2): a negative budget has its sides swapped. */
function amountBody(account: Side, otherId: string, value: Decimal): Transaction {
  const isCredit = account.credit !== isNegative(value);
  const [creditId, debitId] = isCredit ? [account.id!, otherId] : [otherId, account.id!];
  return { amount: toPlain(isNegative(value) ? negate(value) : value), creditAccount: { id: creditId }, debitAccount: { id: debitId } };
}

/** The property of a budget that names its book. */
export const BUDGET_OF = 'budget_of';

/** Where a budget's own account for the other side of all amounts is marked. */
export const BALANCE_PROPERTY = 'budget';

/** The other side of all amounts of a budget: what the planned income leaves. */
export function findBalanceAccount(accounts: readonly Account[]): Account | undefined {
  return accounts.find(({ properties, permanent }) => permanent && properties?.[BALANCE_PROPERTY] === 'balance');
}

export function balanceAccountBody(accounts: readonly Account[]): Account {
  const taken = new Set(accounts.map(({ normalizedName }) => normalizedName));
  const name = ['Budget', 'Budget balance', 'Planned result'].find((candidate) => !taken.has(candidate.toLowerCase().replaceAll(' ', '_'))) ?? `Budget ${accounts.length}`;
  return { name, type: 'ASSET', properties: { [BALANCE_PROPERTY]: 'balance' } };
}

/** Figures of one year as changes of the next one. `isEmpty` limits them to empty cells. */
export function fillChanges(
  figures: ReadonlyMap<string, Decimal>,
  cells: ReadonlyMap<string, Cell>,
  months: readonly string[],
  names: readonly string[],
  onlyEmpty: boolean,
): CellChange[] {
  return names.flatMap((name) =>
    months.flatMap((month): CellChange[] => {
      const value = figures.get(cellKey(name, yearBack(month)));
      const before = cells.get(cellKey(name, month))?.value ?? ZERO;
      if (value === undefined || isZero(value) || (onlyEmpty && !isZero(before))) return [];
      return [{ name, month, value }];
    }),
  );
}

/** The same month of the year before. */
export function yearBack(month: string): string {
  return `${String(Number(month.slice(0, 4)) - 1).padStart(4, '0')}${month.slice(4)}`;
}
