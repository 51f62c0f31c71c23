/**
 * What a file that could not be read asks for. The server names the reason for people only, so this looks for
 * its words; an unknown reason asks nothing, and all options are offered.
 */

export type Question = 'dateOrder' | 'decimalMark' | 'encoding' | 'sheet' | 'account' | 'rules';

const WORDS: readonly [Question, RegExp][] = [
  ['dateOrder', /whether the day or the month is first/],
  ['decimalMark', /state the decimal mark/],
  ['encoding', /unknown encoding|is not valid UTF|not valid [\w-]+$|NUL character/i],
  ['sheet', /has no sheet/],
  ['account', /account of these statements is unknown|^account "|^account not found/i],
  ['rules', /files? of rules|^the rules |no columns are recognized|the header ".*" is not in the file|, line \d+/],
];

export function questionOf(error: string): Question | undefined {
  return WORDS.find(([, words]) => words.test(error))?.[0];
}

/** The value that the question is about: `03/04/2026` of `dates such as "03/04/2026" are ambiguous`. */
export function exampleOf(error: string): string | undefined {
  return /such as "([^"]*)"/.exec(error)?.[1];
}

/** The numbers of the statements whose account is not known. */
export function statementsOf(error: string): readonly string[] {
  const list = /statements is unknown: ([^;]*);/.exec(error)?.[1];
  return list ? list.split(', ').filter((name) => name !== 'without a number') : [];
}

/** Both readings of an ambiguous date such as `03/04/2026`, or undefined. */
export function readingsOf(example: string): { readonly dayFirst: string; readonly monthFirst: string } | undefined {
  const parts = /^(\d{1,2})\D(\d{1,2})\D(\d{4}|\d{2})/.exec(example);
  if (!parts) return undefined;
  const year = parts[3]!.length === 2 ? `20${parts[3]}` : parts[3]!;
  const iso = (month: string, day: string) => `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return { dayFirst: iso(parts[2]!, parts[1]!), monthFirst: iso(parts[1]!, parts[2]!) };
}
