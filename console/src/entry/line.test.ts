import { describe, expect, test } from 'vitest';
import { completeLine, expandLine, ghostText, seemsDated, swapSides, takeCompletion, toSegments, toTyped, unreadTail, type PreviewToken } from './line';

const LINE = '12.50 lunch cash food #canteen';
const TOKENS: PreviewToken[] = [
  { start: 0, end: 5, kind: 'amount' },
  { start: 12, end: 16, kind: 'creditAccount' },
  { start: 17, end: 21, kind: 'debitAccount' },
  { start: 22, end: 30, kind: 'hashtag' },
];

describe('segments', () => {
  test('a line is cut at its tokens, and nothing of it is lost', () => {
    const segments = toSegments(LINE, TOKENS);
    expect(segments.map(({ text, kind }) => [text, kind])).toEqual([
      ['12.50', 'amount'], [' lunch ', undefined], ['cash', 'creditAccount'], [' ', undefined], ['food', 'debitAccount'], [' ', undefined], ['#canteen', 'hashtag'],
    ]);
    expect(segments.map(({ text }) => text).join('')).toBe(LINE);
  });

  test('tokens of an older text count up to the first difference', () => {
    const segments = toSegments('12.50 lunch card', TOKENS, LINE);
    expect(segments.filter(({ kind }) => kind).map(({ text }) => text)).toEqual(['12.50']);
  });

  test('offsets are UTF-16 code units', () => {
    const text = '\u{1F35C} 4.40 日本';
    expect(toSegments(text, [{ start: 3, end: 7, kind: 'amount' }])[1]).toMatchObject({ text: '4.40', kind: 'amount' });
  });

  test('overlapping and empty tokens are ignored', () => {
    const segments = toSegments('abc', [{ start: 0, end: 2, kind: 'url' }, { start: 1, end: 3, kind: 'date' }, { start: 2, end: 2, kind: 'date' }]);
    expect(segments.map(({ text }) => text)).toEqual(['ab', 'c']);
  });
});

describe('relative days', () => {
  const today = '2026-11-27'; // a Friday

  test.each([
    ['4 tea yesterday', '4 tea 2026-11-26', '2026-11-26'],
    ['4 tea Today ', '4 tea 2026-11-27', '2026-11-27'],
    ['4 tea tomorrow', '4 tea 2026-11-28', '2026-11-28'],
    ['4 tea monday', '4 tea 2026-11-23', '2026-11-23'],
    ['4 tea friday', '4 tea 2026-11-27', '2026-11-27'],
  ])('%s is sent as %s', (typed, sent, day) => {
    const line = expandLine(typed, today);
    expect(line.sent).toBe(sent);
    expect(line.word?.day).toBe(day);
  });

  test.each(['yesterday', 'sunday lunch', '4 tea "yesterday"', '4 sun', ''])('%j is sent as typed', (typed) => {
    expect(expandLine(typed, today)).toEqual({ sent: typed });
  });

  test('a line that repeats gets a date, unless it has one', () => {
    expect(expandLine('900 rent cash home 4x', today).sent).toBe('900 rent cash home 4x 2026-11-27');
    expect(expandLine('900 rent cash home 4x 1/12', today).sent).toBe('900 rent cash home 4x 1/12');
    expect(expandLine('900 rent 4x yesterday', today).sent).toBe('900 rent 4x 2026-11-26');
    expect(expandLine('screws M4x20', today).sent).toBe('screws M4x20');
  });

  test('the date token covers the typed word', () => {
    const line = expandLine('4 tea yesterday', today);
    const [token] = toTyped([{ start: 6, end: 16, kind: 'date' }], line);
    expect('4 tea yesterday'.slice(token!.start, token!.end)).toBe('yesterday');
  });
});

test.each([
  ['4 tea 12/3', true], ['2026-03-01 tea', true], ['4 tea 12/03/2026', true], ['4 tea', false], ['12.50 tea', false],
])('%s seems dated: %s', (text, expected) => {
  expect(seemsDated(text)).toBe(expected);
});

describe('swap', () => {
  test('both names change places', () => {
    expect(swapSides(LINE, TOKENS)).toBe('12.50 lunch food cash #canteen');
  });

  test('a line with one name cannot be swapped as text', () => {
    expect(swapSides(LINE, TOKENS.slice(0, 2))).toBeUndefined();
  });
});

describe('completion', () => {
  const accounts = ['Cash', 'Car loan', 'Credit Card', 'Café and restaurants', 'Groceries'];
  const tags = ['canteen', 'car', 'food'];
  const names = (text: string) => completeLine(text, accounts, tags).items;

  test('an account is found by its beginning, accents ignored', () => {
    expect(names('12 lunch cafe')).toEqual(['Café and restaurants']);
    expect(names('12 lunch ca')).toEqual(['Cash', 'Car loan', 'Café and restaurants']);
  });

  test('an account is found by several words', () => {
    const completion = completeLine('12 lunch credit c', accounts, tags);
    expect(completion).toEqual({ from: 9, items: ['Credit Card'] });
    expect(takeCompletion('12 lunch credit c', completion, 'Credit Card')).toBe('12 lunch Credit Card ');
    expect(ghostText('12 lunch credit c', completion, 'Credit Card')).toBe('ard');
  });

  test('an account is found by any part', () => {
    const completion = completeLine('12 rest', accounts, tags);
    expect(completion.items).toEqual(['Café and restaurants']);
    expect(ghostText('12 rest', completion, 'Café and restaurants')).toBe(' → Café and restaurants');
  });

  test('hashtags are completed, also those that are removed', () => {
    expect(names('12 #ca')).toEqual(['#canteen', '#car']);
    expect(names('12 -#fo')).toEqual(['-#food']);
  });

  test.each(['', '12', 'c', '12 cash', '12 ca ', '12.50', "12 'ca"])('nothing is offered for %j', (text) => {
    expect(names(text)).toEqual([]);
  });
});

test('the last unread words name a new account', () => {
  expect(unreadTail('12.50 cash garden centre', [{ start: 0, end: 5, kind: 'amount' }, { start: 6, end: 10, kind: 'creditAccount' }])).toBe('garden centre');
  expect(unreadTail('12.50', [{ start: 0, end: 5, kind: 'amount' }])).toBe('');
});
