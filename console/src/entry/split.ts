/** A split: several legs that share one side, a date and the property `entry_id`. */
import { compare, isZero, parseDecimal, subtract, sum, toPlain, ZERO, type Decimal } from '~/lib/money';

export interface Leg {
  /** Id of the account on the split side, or ''. */
  readonly account: string;
  /** A plain decimal, or ''. */
  readonly amount: string;
  readonly description: string;
}

export const EMPTY_LEG: Leg = { account: '', amount: '', description: '' };

export const toDecimal = (amount: string): Decimal | undefined => (amount ? parseDecimal(amount) : undefined);

export const legsTotal = (legs: readonly Leg[]): Decimal => sum(legs.map((leg) => toDecimal(leg.amount) ?? ZERO));

/** What is not yet assigned to a leg; negative when the legs exceed the amount. */
export function remainder(amount: string, legs: readonly Leg[]): Decimal {
  return amount ? subtract(parseDecimal(amount), legsTotal(legs)) : ZERO;
}

export const isEmptyLeg = (leg: Leg): boolean => !leg.account && !leg.amount && !leg.description.trim();

export type SplitResult =
  | { readonly kind: 'legs'; readonly legs: readonly Leg[] }
  | { readonly kind: 'error'; readonly message: string };

/**
 * The legs to record. Empty ones are left out. One leg without an amount takes the remainder. Every leg
 * needs an account and an amount above zero, because parts of a split that are drafts would not add up.
 */
export function completeLegs(amount: string, legs: readonly Leg[]): SplitResult {
  const used = legs.filter((leg) => !isEmptyLeg(leg));
  if (used.length === 0) return { kind: 'error', message: 'Add at least one leg.' };
  const open = used.filter((leg) => !leg.amount);
  if (open.length > 1 || (open.length === 1 && !amount)) return { kind: 'error', message: 'A leg has no amount.' };
  const rest = remainder(amount, used);
  const filled = used.map((leg) => (leg.amount ? leg : { ...leg, amount: toPlain(rest) }));
  if (filled.some((leg) => compare(parseDecimal(leg.amount), ZERO) <= 0)) return { kind: 'error', message: 'Each leg needs an amount above zero.' };
  if (open.length === 0 && !isZero(rest)) return { kind: 'error', message: 'The legs do not add up to the amount.' };
  if (filled.some((leg) => !leg.account)) return { kind: 'error', message: 'A leg has no account.' };
  return { kind: 'legs', legs: filled };
}
