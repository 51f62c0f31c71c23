/** What a file that could not be read asks for. The message has an example or the statements that it is about. */
import type { Import } from './types';

export type Question = 'dateOrder' | 'decimalMark' | 'encoding' | 'sheet' | 'account' | 'rules' | 'commodities' | 'target';

const QUESTIONS: Partial<Record<NonNullable<Import['errorReason']>, Question>> = {
  ambiguousDates: 'dateOrder',
  ambiguousAmounts: 'decimalMark',
  invalidEncoding: 'encoding',
  unknownSheet: 'sheet',
  unknownAccount: 'account',
  invalidRules: 'rules',
  unknownColumns: 'rules',
  severalCommodities: 'commodities',
  invalidTarget: 'target',
};

/** The question of an import that failed; another reason asks nothing. */
export function questionOf({ errorReason }: Pick<Import, 'errorReason'>): Question | undefined {
  return errorReason && QUESTIONS[errorReason];
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
