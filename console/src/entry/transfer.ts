/** A transfer between two books: one half in each, with a common `entry_id`. */
import { isProblem, sentence } from '~/api/problem';
import type { Transaction } from '~/api/types';
import { round, type Decimal } from '~/lib/money';

const RATE_DIGITS = 8;

/** How much one unit of the first amount is in the second, without trailing zeros. */
export function transferRate(first: Decimal, second: Decimal): string {
  if (first.units === 0n) return '';
  // The quotient has a few more digits than the rate, then it is rounded like an amount.
  const scale = RATE_DIGITS + 4;
  const numerator = second.units * 10n ** BigInt(scale + first.scale);
  const quotient: Decimal = { units: numerator / (first.units * 10n ** BigInt(second.scale)), scale };
  const digits = round(quotient, RATE_DIGITS).units.toString().padStart(RATE_DIGITS + 1, '0');
  return `${digits.slice(0, -RATE_DIGITS)}.${digits.slice(-RATE_DIGITS)}`.replace(/\.?0+$/, '');
}

export interface Half {
  readonly bookId: string;
  readonly transaction: Transaction;
}

/** A transfer that has begun. It is kept while a half has no answer, so that it can be repeated. No key: none has begun. */
export interface TransferState {
  readonly key: string;
  readonly recorded: Transaction | undefined;
}

export interface TransferPorts {
  readonly create: (half: Half, key: string) => Promise<Transaction>;
  readonly trash: (bookId: string, id: string, key: string) => Promise<unknown>;
  readonly onState: (state: TransferState) => void;
}

const ATTEMPTS = 3;
const NOTHING: TransferState = { key: '', recorded: undefined };

/**
 * Records the first half, then the second one. A second half without an answer is repeated with the same
 * idempotency key. Where it is refused, the first half goes to the trash. The state without an answer stays; the
 * same halves with it record nothing twice.
 */
export async function runTransfer(first: Half, second: Half, state: TransferState, { create, trash, onState }: TransferPorts): Promise<readonly [Transaction, Transaction]> {
  const { key } = state;
  onState(state);
  let { recorded } = state;
  try {
    recorded ??= await create(first, `${key}a`);
  } catch (error) {
    if (isProblem(error) && error.isUnanswered) throw new Error(`This book has not answered. Finish the transfer to repeat it; nothing is recorded twice. ${sentence(error)}`);
    onState(NOTHING);
    throw error;
  }
  onState({ key, recorded });
  for (let attempt = 1; ; attempt += 1) {
    try {
      const other = await create(second, `${key}b`);
      onState(NOTHING);
      return [recorded, other];
    } catch (error) {
      const isUnknown = isProblem(error) && error.isUnanswered;
      if (isUnknown && attempt < ATTEMPTS) continue;
      if (isUnknown) throw new Error(`The other book has not answered. Finish the transfer to repeat its half; nothing is recorded twice. ${sentence(error)}`);
      try {
        await trash(first.bookId, recorded.id!, `${key}c`);
      } catch (failure) {
        throw new Error(`The other book refused its half: ${sentence(error)} The half in this book could not be moved to the trash: ${sentence(failure)}`);
      }
      onState(NOTHING);
      throw new Error(`The other book refused its half, so the half in this book was moved to the trash. ${sentence(error)}`);
    }
  }
}
