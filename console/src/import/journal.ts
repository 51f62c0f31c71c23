/** The options that only journals have (behaviour 15.12). */
import type { ReadOptions } from './sourceFiles';
import type { Import, ImportRecord } from './types';

export type VirtualPostings = NonNullable<ReadOptions['virtualPostings']>;

/** A book stores no more decimal places than these. */
const MAX_PLACES = 8;

/** A source has no more characters than these. */
export const MAX_SOURCE = 150;

/** Whether a file is a journal. The description of a format begins with its name. */
export function isJournal({ format = '' }: Pick<Import, 'format'>): boolean {
  return /^(journal|beancount|GnuCash),/.test(format);
}

/** The source of a journal for which none is named: the name of its format. */
export function defaultSource({ format = '' }: Pick<Import, 'format'>): string {
  return format.split(',', 1)[0]!.toLowerCase();
}

/** Whether a file may have virtual postings, which beancount and GnuCash do not know. */
export function mayHaveVirtualPostings({ format = '' }: Pick<Import, 'format'>): boolean {
  return format.startsWith('journal,');
}

const VIRTUAL_CHOICES: readonly { readonly value: VirtualPostings; readonly label: string }[] = [
  { value: 'OWN_BOOK', label: 'In a book of their own' },
  { value: 'SAME_BOOK', label: 'With the others' },
  { value: 'SKIP', label: 'Left out' },
];

/** What may become of virtual postings. An existing book takes no second book. */
export function virtualChoices(target: Import['target']): typeof VIRTUAL_CHOICES {
  return target === 'NEW' ? VIRTUAL_CHOICES : VIRTUAL_CHOICES.filter(({ value }) => value !== 'OWN_BOOK');
}

/** What becomes of virtual postings. Without the option it depends on the target. */
export function virtualPostingsOf({ virtualPostings }: ReadOptions, target: Import['target']): VirtualPostings {
  return virtualPostings ?? (target === 'NEW' ? 'OWN_BOOK' : 'SAME_BOOK');
}

/** Options with changes. OWN_BOOK is left out: it is the default of a new book, and refused for an existing one. */
export function changeOptions(before: ReadOptions, changes: ReadOptions): ReadOptions {
  const { virtualPostings, ...others } = { ...before, ...changes };
  return virtualPostings && virtualPostings !== 'OWN_BOOK' ? { ...others, virtualPostings } : others;
}

/** Whether a record is refused only because its book has fewer decimal places, and may have as many. */
export function needsMorePlaces({ outcome, reason = '' }: Pick<ImportRecord, 'outcome' | 'reason'>): boolean {
  const places = /^the amount has (\d+) decimal places, and the book \d+$/.exec(reason)?.[1];
  return outcome === 'REFUSED' && places !== undefined && Number(places) <= MAX_PLACES;
}
