/** Hashes of events that this browser has verified, so that a later visit notices a rewritten log. */
import type { Mark } from './chain';

const MAX = 40;
const key = (bookId: string) => `daybook-chain-${bookId}`;

export function readMarks(bookId: string): readonly Mark[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key(bookId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isMark) : [];
  } catch {
    return [];
  }
}

function isMark(value: unknown): value is Mark {
  const mark = value as Partial<Mark> | null;
  return typeof mark?.sequence === 'number' && typeof mark.hash === 'string' && typeof mark.at === 'number';
}

/** Keeps a mark; the first and the newest ones stay. */
export function addMark(bookId: string, mark: Mark): void {
  const others = readMarks(bookId).filter(({ sequence }) => sequence !== mark.sequence);
  const all = [...others, mark].sort((a, b) => a.sequence - b.sequence);
  const kept = all.length > MAX ? [all[0]!, ...all.slice(-(MAX - 1))] : all;
  try {
    localStorage.setItem(key(bookId), JSON.stringify(kept));
  } catch {
    // Private windows may refuse storage; the next visit then has nothing to compare.
  }
}
