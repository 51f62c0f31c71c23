/** The rules that the server implements too, on the cases of tests/cases, which its unit tests also read. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { toSegments, type PreviewToken } from '~/entry/line';
import { seriesDays } from '~/entry/series';
import { hashAfter } from '~/history/chain';
import { fromHex } from '~/history/sha256';
import { addMonths, formatDay, isDay, parsePeriod, readDay, type DatePattern } from './dates';
import { compare, formatMoney, MINUS, parseDecimal, readNumber, round, toInput, toPlain } from './money';
import { fold, quoteValue, tokenize, type Token } from './query';

function cases<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../../tests/cases/${name}.json`, import.meta.url), 'utf8')) as T;
}

describe('numbers', () => {
  const numbers = cases<{ separator: 'DOT' | 'COMMA'; text: string; value: string | null }[]>('numbers');
  test.each(numbers)('$text in a book with $separator', ({ separator, text, value }) => {
    const read = readNumber(text, separator);
    if (value === null) expect(read).toBeUndefined();
    else expect(compare(read!, parseDecimal(value))).toBe(0);
  });
});

describe('amounts', () => {
  const amounts = cases<{
    rounded: { value: string; digits: number; result: string }[];
    shown: { value: string; digits: number; dot: string; comma: string; input: string }[];
  }>('amounts');
  test.each(amounts.rounded)('$value to $digits decimals', ({ value, digits, result }) => {
    expect(toPlain(round(parseDecimal(value), digits))).toBe(result);
  });
  test.each(amounts.shown)('$value is shown as $dot', ({ value, digits, dot, comma, input }) => {
    const amount = parseDecimal(value);
    expect(formatMoney(amount, { decimalSeparator: 'DOT', fractionDigits: digits }).replace(MINUS, '-')).toBe(dot);
    expect(formatMoney(amount, { decimalSeparator: 'COMMA', fractionDigits: digits }).replace(MINUS, '-')).toBe(comma);
    expect(toInput(amount, { decimalSeparator: 'DOT', fractionDigits: digits })).toBe(input);
  });
});

describe('days', () => {
  const days = cases<{
    exist: string[]; doNotExist: string[]; today: string;
    shown: { day: string; pattern: DatePattern; text: string }[];
    typed: { pattern: DatePattern; text: string; day: string | null }[];
    months: { from: string; days: string[] }[];
  }>('days');
  test('of the calendar', () => {
    for (const day of days.exist) expect(isDay(day), day).toBe(true);
    for (const day of days.doNotExist) expect(isDay(day), day).toBe(false);
  });
  test.each(days.shown)('$day as $pattern', ({ day, pattern, text }) => expect(formatDay(day, pattern)).toBe(text));
  test.each(days.typed)('$text typed in $pattern', ({ pattern, text, day }) => expect(readDay(text, pattern, days.today) ?? null).toBe(day));
  test.each(days.months)('months after $from', ({ from, days: later }) => {
    expect(later.map((_, at) => addMonths(from, at + 1))).toEqual(later);
    expect(seriesDays(from, { unit: 'month', every: 1, count: later.length })).toEqual(later);
  });
});

describe('periods', () => {
  test.each(cases<{ text: string; fiscalStart: number; first?: string; last?: string }[]>('periods'))('$text', ({ text, fiscalStart, first, last }) => {
    const period = parsePeriod(text, fiscalStart);
    expect([period?.from, period?.to]).toEqual([first, last]);
  });
});

describe('names', () => {
  const names = cases<{ same: [string, string][]; different: [string, string][] }>('names');
  test.each(names.same)('%s is %s', (left, right) => expect(fold(left)).toBe(fold(right)));
  test.each(names.different)('%s is not %s', (left, right) => expect(fold(left)).not.toBe(fold(right)));
});

describe('queries', () => {
  const queries = cases<{ quoted: { value: string; text: string }[]; terms: { query: string; terms: string[] }[] }>('queries');
  const shown = (token: Token): string[] => {
    const value = token.value ?? '';
    const text = {
      paren: () => '',
      term: () => (value.trim() ? `${token.operator}=${value}` : ''),
      hashtag: () => value,
      text: () => (token.quote ? `'${value}'` : value),
      keyword: () => (value === 'NOT' ? '-' : value),
    }[token.kind]();
    return [...(token.negated ? ['-'] : []), text];
  };
  test.each(queries.quoted)('$value in quotes', ({ value, text }) => {
    expect(quoteValue(value)).toBe(text);
    expect(tokenize(`account:${text} x`)[0]).toMatchObject({ operator: 'account', value });
  });
  test.each(queries.terms)('$query', ({ query, terms }) => {
    const found = tokenize(query).flatMap((token) => (token.kind === 'paren' ? [query.slice(token.start, token.end)] : shown(token)));
    expect(found).toEqual(terms);
  });
});

describe('lines', () => {
  const { lines } = cases<{ lines: { text: string; tokens: { start: number; end: number; kind: string }[] }[] }>('lines');
  test.each(lines)('$text', ({ text, tokens }) => {
    const segments = toSegments(text, tokens as PreviewToken[]);
    expect(segments.map((segment) => segment.text).join('')).toBe(text);
    expect(segments.filter(({ kind }) => kind).map(({ start, text: part, kind }) => ({ start, end: start + part.length, kind }))).toEqual(tokens);
  });
});

describe('the chain of events', () => {
  test('hashes of canonical events follow from one another', async () => {
    let previous: Uint8Array = new Uint8Array(32);
    for (const { canonical, hash } of cases<{ canonical: string; hash: string }[]>('chain')) {
      expect(await hashAfter(previous, canonical)).toBe(hash);
      previous = fromHex(hash)!;
    }
  });
});
