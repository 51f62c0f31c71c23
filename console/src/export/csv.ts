/**
 * Lists as comma-separated values, as the server writes them (docs/export.md): UTF-8, RFC 4180, CR LF, and a last
 * line `end` with the number of rows. Texts are not changed, also those that a spreadsheet takes for formulas.
 */
import { toInput, type Decimal, type NumberStyle } from '~/lib/money';

export type CsvFormat = 'csv' | 'excel';
export type Value = string | number | Decimal | undefined | null;

export interface Column<Row> {
  /** The name in the first line, of ASCII. */
  readonly key: string;
  readonly of: (row: Row) => Value;
}

export interface Page<Row> {
  readonly items: readonly Row[];
  readonly cursor?: string | undefined;
}

/** A list as the view has it, or as the server has it in pages. */
export interface Listing<Row> {
  readonly columns: readonly Column<Row>[];
  readonly read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>;
}

/** A browser keeps the whole file until it is saved. */
export const MAX_ROWS = 1_000_000;

/** More rows than a file of the browser may have. */
export class TooManyRows extends Error {}

export function listOf<Row>(columns: readonly Column<Row>[], items: readonly Row[]): Listing<Row> {
  return { columns, read: async () => ({ items }) };
}

/** An instant of the API in RFC 3339: `2026-03-14T10:05:00.000Z`. */
export function rfc3339(milliseconds: string | number | undefined | null): string {
  return milliseconds === undefined || milliseconds === null || milliseconds === '' ? '' : new Date(Number(milliseconds)).toISOString();
}

interface Dialect {
  readonly mark: string;
  readonly delimiter: ',' | ';';
  readonly numbers: NumberStyle;
}

/** Excel takes UTF-8 by its mark, and expects semicolons where the decimal separator is a comma. */
export function dialectOf(format: CsvFormat, numbers: NumberStyle): Dialect {
  if (format === 'csv') return { mark: '', delimiter: ',', numbers: { ...numbers, decimalSeparator: 'DOT' } };
  return { mark: '\ufeff', delimiter: numbers.decimalSeparator === 'COMMA' ? ';' : ',', numbers };
}

/** Amounts have the decimals of the book, or more if they need them. */
function textOf(value: Value, { numbers }: Dialect): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? toInput(value, numbers) : String(value);
}

export function writeLine(values: readonly Value[], dialect: Dialect): string {
  const fields = values.map((value) => {
    const text = textOf(value, dialect);
    return text.includes(dialect.delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${fields.join(dialect.delimiter)}\r\n`;
}

/**
 * Reads a list to its end, and writes it. `onPage` gets the number of rows after each page that is not the last. A list
 * that is stopped or too long makes no file.
 */
export async function collectCsv<Row>(
  { columns, read }: Listing<Row>,
  dialect: Dialect,
  signal: AbortSignal,
  onPage: (rows: number) => void = () => {},
  maxRows = MAX_ROWS,
): Promise<{ readonly content: Blob; readonly rows: number }> {
  // Blobs are kept outside of the memory of scripts.
  const parts = [new Blob([dialect.mark + writeLine(columns.map(({ key }) => key), dialect)])];
  let [rows, cursor]: [number, string | undefined] = [0, undefined];
  do {
    const page: Page<Row> = await read(cursor, signal);
    rows += page.items.length;
    if (rows > maxRows) throw new TooManyRows();
    parts.push(new Blob(page.items.map((row) => writeLine(columns.map(({ of }) => of(row)), dialect))));
    cursor = page.cursor;
    if (cursor) onPage(rows);
    signal.throwIfAborted();
  } while (cursor);
  parts.push(new Blob([writeLine(['end', rows, ...columns.slice(2).map(() => '')], dialect)]));
  return { content: new Blob(parts, { type: 'text/csv;charset=utf-8' }), rows };
}
