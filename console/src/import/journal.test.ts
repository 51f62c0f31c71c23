import { expect, test } from 'vitest';
import { changeOptions, defaultSource, isJournal, mayHaveVirtualPostings, needsMorePlaces, virtualChoices, virtualPostingsOf } from './journal';

test.each([
  ['journal, 12 entries, 2026-01-02 to 2026-03-31', true, true],
  ['beancount, 12 entries', true, false],
  ['GnuCash, 12 entries', true, false],
  ['CSV, UTF-8, 1 account, 11 records', false, false],
  [undefined, false, false],
])('a file of %s: journal %s, virtual postings %s', (format, journal, virtual) => {
  const run = format === undefined ? {} : { format };
  expect(isJournal(run)).toBe(journal);
  expect(mayHaveVirtualPostings(run)).toBe(virtual);
});

test.each([
  ['journal, 12 entries, 2026-01-02 to 2026-03-31', 'journal'],
  ['beancount, 12 entries', 'beancount'],
  ['GnuCash, 12 entries', 'gnucash'],
  [undefined, ''],
])('without a name the source of %s is %s', (format, source) => {
  expect(defaultSource(format === undefined ? {} : { format })).toBe(source);
});

test('only a new book has a book of virtual postings beside it, and has it by default', () => {
  expect(virtualChoices('NEW').map(({ value }) => value)).toEqual(['OWN_BOOK', 'SAME_BOOK', 'SKIP']);
  expect(virtualChoices('HERE').map(({ value }) => value)).toEqual(['SAME_BOOK', 'SKIP']);
  expect(virtualPostingsOf({}, 'NEW')).toBe('OWN_BOOK');
  expect(virtualPostingsOf({}, 'HERE')).toBe('SAME_BOOK');
  expect(virtualPostingsOf({ virtualPostings: 'SKIP' }, 'NEW')).toBe('SKIP');
});

test('changed options keep the others, and never send the book of virtual postings', () => {
  const before = { account: '7', virtualPostings: 'SKIP', raiseFractionDigits: true } as const;
  expect(changeOptions(before, { target: 'HERE' })).toEqual({ ...before, target: 'HERE' });
  expect(changeOptions(before, { virtualPostings: 'OWN_BOOK' })).toEqual({ account: '7', raiseFractionDigits: true });
  expect(changeOptions({ virtualPostings: 'OWN_BOOK' }, { target: 'HERE' })).toEqual({ target: 'HERE' });
  expect(changeOptions({}, { virtualPostings: 'SAME_BOOK' })).toEqual({ virtualPostings: 'SAME_BOOK' });
  expect(changeOptions({ ...before, source: 'home' }, { target: 'HERE' })).toEqual({ ...before, source: 'home', target: 'HERE' });
  expect(changeOptions({ ...before, source: 'home' }, { source: 'club' })).toEqual({ ...before, source: 'club' });
});

test('a record that more decimal places would record is recognized', () => {
  const refused = (reason: string) => needsMorePlaces({ outcome: 'REFUSED', reason });
  expect(refused('the amount has 3 decimal places, and the book 2')).toBe(true);
  expect(refused('the amount has 9 decimal places, and the book 2')).toBe(false);
  expect(refused('the postings do not sum to zero: 1 is left')).toBe(false);
  // The option is not for the files of banks.
  expect(refused('the amount has more than the 2 decimals of the book')).toBe(false);
  expect(needsMorePlaces({ outcome: 'NEW', reason: 'the amount has 3 decimal places, and the book 2' })).toBe(false);
});
