/** What a transaction does, in words, by the types of its accounts. */
import type { AccountType } from '~/lib/signs';

export interface Side {
  readonly name: string;
  readonly type: AccountType;
}

/** `From, To and the amount`. */
export function listWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** The direction of money in words. Names are data: show the text in a `<bdi>`. */
export function directionWords(from: Side, to: Side): string {
  const [source, target] = [from.name, to.name];
  switch (`${from.type}>${to.type}` as const) {
    case 'ASSET>OUTGOING': return `Expense, paid from ${source}`;
    case 'LIABILITY>OUTGOING': return `Expense, owed on ${source}`;
    case 'INCOMING>OUTGOING': return 'Income that is spent at once';
    case 'OUTGOING>OUTGOING': return `Moves an expense from ${source} to ${target}`;
    case 'INCOMING>ASSET': return `Income, paid into ${target}`;
    case 'INCOMING>LIABILITY': return `Income that reduces what is owed on ${target}`;
    case 'INCOMING>INCOMING': return `Moves income from ${source} to ${target}`;
    case 'OUTGOING>INCOMING': return 'Takes back an expense and income';
    case 'ASSET>ASSET': return `Transfer to ${target}`;
    case 'ASSET>LIABILITY': return `Pays off ${target}`;
    case 'LIABILITY>ASSET': return `${target} grows, and so does ${source}`;
    case 'LIABILITY>LIABILITY': return `Moves a debt from ${target} to ${source}`;
    case 'OUTGOING>ASSET': return `Refund of an expense, paid into ${target}`;
    case 'OUTGOING>LIABILITY': return `Refund of an expense, reduces what is owed on ${target}`;
    case 'ASSET>INCOMING': return `Income that is paid back from ${source}`;
    case 'LIABILITY>INCOMING': return `Income that is paid back, owed on ${source}`;
  }
}

/** Why the direction is unusual, or undefined. Entry marks such a line: the sides are probably swapped. */
export function unusualReason(from: Side, to: Side): string | undefined {
  if (from.type === 'OUTGOING') return 'The money leaves an expense account.';
  return to.type === 'INCOMING' ? 'The money enters an income account.' : undefined;
}
