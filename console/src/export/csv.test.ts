import { describe, expect, test } from 'vitest';
import { parseDecimal } from '~/lib/money';
import { collectCsv, dialectOf, listOf, rfc3339, TooManyRows, writeLine, type Column, type Listing } from './csv';

const standard = dialectOf('csv', { decimalSeparator: 'COMMA', fractionDigits: 2 });
const excelComma = dialectOf('excel', { decimalSeparator: 'COMMA', fractionDigits: 2 });
const excelDot = dialectOf('excel', { decimalSeparator: 'DOT', fractionDigits: 2 });

interface Item { readonly name: string; readonly amount: string }
const COLUMNS: readonly Column<Item>[] = [
  { key: 'name', of: ({ name }) => name },
  { key: 'amount', of: ({ amount }) => parseDecimal(amount) },
  { key: 'note', of: () => undefined },
];
const never = new AbortController().signal;

/** A reader of its own for RFC 4180. */
function readCsv(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let [row, field, at, isQuoted] = [[] as string[], '', 0, false];
  while (at < text.length) {
    const char = text[at]!;
    at += 1;
    if (isQuoted) {
      if (char !== '"') field += char;
      else if (text[at] === '"') [field, at] = [`${field}"`, at + 1];
      else isQuoted = false;
    } else if (char === '"' && field === '') isQuoted = true;
    else if (char === delimiter) [row, field] = [[...row, field], ''];
    else if (char === '\r' && text[at] === '\n') {
      rows.push([...row, field]);
      [row, field, at] = [[], '', at + 1];
    } else field += char;
  }
  expect([row, field, isQuoted]).toEqual([[], '', false]);
  return rows;
}

describe('fields', () => {
  test('fields with delimiters, quotes or line ends are quoted, and no others', () => {
    expect(writeLine(['a', 'b, c', 'say "no"', 'two\nlines', 'cr\r', ' padded ', 'x;y', '', undefined, null, 0], standard))
      .toBe('a,"b, c","say ""no""","two\nlines","cr\r", padded ,x;y,,,,0\r\n');
    expect(writeLine(['b, c', 'x;y'], excelComma)).toBe('b, c;"x;y"\r\n');
  });

  test('amounts have the separator of the dialect, and texts keep theirs', () => {
    const amount = parseDecimal('-1234.50');
    expect(writeLine([amount, '1.5'], standard)).toBe('-1234.50,1.5\r\n');
    expect(writeLine([amount, '1.5'], excelComma)).toBe('-1234,50;1.5\r\n');
    expect(writeLine([amount, '1.5'], excelDot)).toBe('-1234.50,1.5\r\n');
  });

  test('amounts have the decimals of the book, and keep those beyond', () => {
    expect(writeLine(['0', '-3', '1.5', '1.125', '12345678901234567890.10'].map(parseDecimal), standard)).toBe('0.00,-3.00,1.50,1.125,12345678901234567890.10\r\n');
  });

  // The texts of the server's test `fields_survive_a_reader`.
  test.each([[standard, ','], [excelComma, ';'], [excelDot, ',']] as const)('texts survive a reader, formulas too (%#)', (dialect, delimiter) => {
    const texts = ['=1+1', '+1', '@SUM(A1)', 'a "b"\r\nc', 'x;y,z', '\n', '-5', ' padded ', '', '"', 'ß\u0000€'];
    expect(readCsv(writeLine(texts, dialect), delimiter)).toEqual([texts]);
  });

  test('instants are written in UTC with milliseconds', () => {
    expect(rfc3339('1793466309007')).toBe('2026-10-31T17:05:09.007Z');
    expect(rfc3339(undefined)).toBe('');
    expect(rfc3339('')).toBe('');
  });
});

describe('files', () => {
  test('a file has a line of names, its rows, and a last line with their number', async () => {
    const { content, rows } = await collectCsv(listOf(COLUMNS, [{ name: 'Rent', amount: '900.00' }, { name: 'Müsli', amount: '-1.5' }]), standard, never);
    expect(rows).toBe(2);
    expect(content.type).toMatch(/^text\/csv/);
    expect(await content.text()).toBe('name,amount,note\r\nRent,900.00,\r\nMüsli,-1.50,\r\nend,2,\r\n');
  });

  test('a list without rows is a file too', async () => {
    expect(await (await collectCsv(listOf(COLUMNS, []), standard, never)).content.text()).toBe('name,amount,note\r\nend,0,\r\n');
  });

  test('only the file for Excel begins with a byte order mark', async () => {
    const bytes = async (dialect: typeof standard) => [...new Uint8Array(await (await collectCsv(listOf(COLUMNS, []), dialect, never)).content.arrayBuffer())];
    expect((await bytes(excelComma)).slice(0, 4)).toEqual([0xef, 0xbb, 0xbf, 0x6e]);
    expect((await bytes(standard))[0]).toBe(0x6e);
  });
});

describe('pages', () => {
  const item = (name: string): Item => ({ name, amount: '1.00' });
  const inPages = (pages: readonly (readonly Item[])[]): Listing<Item> & { readonly asked: (string | undefined)[] } => {
    const asked: (string | undefined)[] = [];
    return {
      columns: COLUMNS,
      asked,
      read: async (cursor) => {
        asked.push(cursor);
        const at = Number(cursor ?? 0);
        return { items: pages[at]!, cursor: at + 1 < pages.length ? String(at + 1) : undefined };
      },
    };
  };

  test('all pages are read in order, also those without rows, and each but the last is reported', async () => {
    const listing = inPages([[item('a'), item('b')], [], [item('c')]]);
    const seen: number[] = [];
    const { content } = await collectCsv(listing, standard, never, (rows) => seen.push(rows));
    expect((await content.text()).split('\r\n')).toEqual(['name,amount,note', 'a,1.00,', 'b,1.00,', 'c,1.00,', 'end,3,', '']);
    expect(listing.asked).toEqual([undefined, '1', '2']);
    expect(seen).toEqual([2, 2]);
  });

  test('a stopped download reads no further page and makes no file', async () => {
    const listing = inPages([[item('a')], [item('b')], [item('c')]]);
    const controller = new AbortController();
    await expect(collectCsv(listing, standard, controller.signal, () => controller.abort())).rejects.toThrow(/abort/i);
    expect(listing.asked).toEqual([undefined]);
  });

  test('a list above the limit makes no file', async () => {
    const pages = [[item('a'), item('b')], [item('c')], [item('d')]];
    const collect = (maxRows: number) => collectCsv(inPages(pages), standard, never, undefined, maxRows);
    await expect(collect(3)).rejects.toThrow(TooManyRows);
    expect((await collect(4)).rows).toBe(4);
  });

  test('a page that cannot be read fails the download', async () => {
    const read = async (cursor: string | undefined) => {
      if (cursor) throw new Error('gone');
      return { items: [item('a')], cursor: '1' };
    };
    await expect(collectCsv({ columns: COLUMNS, read }, standard, never)).rejects.toThrow('gone');
  });
});
