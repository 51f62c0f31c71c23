/**
 * Signs that people expect. The API's balances are raw, credits minus debits (behaviour 5.4). Assets and
 * expenses are shown as debits minus credits, liabilities and income as credits minus debits.
 */
import { negate, type Decimal } from './money';

export type AccountType = 'ASSET' | 'LIABILITY' | 'INCOMING' | 'OUTGOING';

/** Converts a raw balance. `credit` is that of the account or group; mixed groups have false. */
export function fromRaw(raw: Decimal, credit: boolean | undefined): Decimal {
  return credit ? raw : negate(raw);
}

/** What a transaction adds to an account, in people's sign, when the account is on this side. */
export function effect(amount: Decimal, side: 'credit' | 'debit', accountIsCredit: boolean | undefined): Decimal {
  return fromRaw(side === 'credit' ? amount : negate(amount), accountIsCredit);
}

export const TYPE_NAMES: Record<AccountType, string> = {
  ASSET: 'Assets',
  LIABILITY: 'Liabilities',
  INCOMING: 'Income',
  OUTGOING: 'Expenses',
};

export const TYPE_ORDER: readonly AccountType[] = ['ASSET', 'LIABILITY', 'INCOMING', 'OUTGOING'];
