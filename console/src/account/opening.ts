/** Opening balances as transactions against the account `Opening balances` (behaviour 6.19). */
import type { Account, Group, Transaction } from '~/api/types';
import { isNegative, negate, toPlain, type Decimal } from '~/lib/money';

export const OPENING_NAME = 'Opening balances';
const OPENING_NORMALIZED = 'opening_balances';

export function findOpeningAccount(accounts: readonly Account[]): Account | undefined {
  return accounts.find(({ normalizedName }) => normalizedName === OPENING_NORMALIZED);
}

/** The body that makes the account: a liability, in the equity group where there is one (13.5). */
export function openingAccountBody(groups: readonly Group[]): Account {
  const equity = groups.find(({ properties }) => properties?.['report'] === 'equity') ?? groups.find(({ normalizedName }) => normalizedName === 'equity');
  return { name: OPENING_NAME, type: 'LIABILITY', ...(equity ? { groups: [{ id: equity.id! }] } : {}) };
}

/** Whether an account can have an opening balance. */
export function hasOpening(account: Pick<Account, 'permanent' | 'normalizedName'>): boolean {
  return Boolean(account.permanent) && account.normalizedName !== OPENING_NORMALIZED;
}

export interface OpeningInput {
  readonly account: Pick<Account, 'id' | 'credit'>;
  /** In the sign that people expect: what is owed on a liability is positive. */
  readonly balance: Decimal;
  readonly date: string;
}

export function openingTransaction({ account, balance, date }: OpeningInput, openingId: string): Transaction {
  const isLess = isNegative(balance);
  const comesIn = Boolean(account.credit) === isLess;
  const own = { id: account.id! };
  const other = { id: openingId };
  return {
    date,
    amount: toPlain(isLess ? negate(balance) : balance),
    description: OPENING_NAME,
    creditAccount: comesIn ? other : own,
    debitAccount: comesIn ? own : other,
  };
}
