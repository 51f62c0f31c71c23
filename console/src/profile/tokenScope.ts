/** Limits of access tokens in words (11.9). */
import type { Token } from './queries';

const MAX_DAYS = 3650;

/** A lifetime in days, or undefined. */
export function readDays(text: string): number | undefined {
  const typed = text.trim();
  if (!/^\d{1,4}$/.test(typed)) return undefined;
  const days = Number(typed);
  return days >= 1 && days <= MAX_DAYS ? days : undefined;
}

/** What a token may do: `reads Household`, `reads and changes all books`. Unknown books are counted. */
export function scopeOf(token: Pick<Token, 'readOnly' | 'books'>, names: ReadonlyMap<string, string>): string {
  const verb = token.readOnly ? 'reads' : 'reads and changes';
  if (!token.books) return `${verb} all books`;
  const known = token.books.flatMap((id) => names.get(id) ?? []);
  const others = token.books.length - known.length;
  const shown = known.slice(0, 3);
  const rest = known.length - shown.length + others;
  const tail = rest > 0 ? [`${rest} ${shown.length > 0 ? 'more' : rest === 1 ? 'book' : 'books'}`] : [];
  return `${verb} ${[...shown, ...tail].join(', ')}`;
}
