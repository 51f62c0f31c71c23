/** The cursor and the selected block of a spreadsheet, and text from the clipboard. */
import { readAmount, type Decimal, type NumberStyle } from '~/lib/money';

export interface Place {
  readonly row: number;
  readonly column: number;
}

export interface Block {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

export interface Size {
  readonly rows: number;
  readonly columns: number;
}

export function clampPlace({ row, column }: Place, size: Size): Place {
  return { row: Math.max(0, Math.min(size.rows - 1, row)), column: Math.max(0, Math.min(size.columns - 1, column)) };
}

/** Where a key moves the cursor, or undefined if it does not move it. */
export function moveBy(key: string, place: Place, size: Size, page: number, isFar: boolean): Place | undefined {
  const to = (row: number, column: number) => clampPlace({ row, column }, size);
  switch (key) {
    case 'ArrowDown': return to(isFar ? size.rows - 1 : place.row + 1, place.column);
    case 'ArrowUp': return to(isFar ? 0 : place.row - 1, place.column);
    case 'ArrowRight': return to(place.row, isFar ? size.columns - 1 : place.column + 1);
    case 'ArrowLeft': return to(place.row, isFar ? 0 : place.column - 1);
    case 'Home': return to(isFar ? 0 : place.row, 0);
    case 'End': return to(isFar ? size.rows - 1 : place.row, size.columns - 1);
    case 'PageDown': return to(place.row + page, place.column);
    case 'PageUp': return to(place.row - page, place.column);
    default: return undefined;
  }
}

export function blockOf(place: Place, anchor: Place | undefined): Block {
  const other = anchor ?? place;
  return {
    top: Math.min(place.row, other.row), bottom: Math.max(place.row, other.row),
    left: Math.min(place.column, other.column), right: Math.max(place.column, other.column),
  };
}

export const isInBlock = ({ top, bottom, left, right }: Block, row: number, column: number): boolean => row >= top && row <= bottom && column >= left && column <= right;

export const isOneCell = ({ top, bottom, left, right }: Block): boolean => top === bottom && left === right;

/** Whether a key begins an amount. Letters stay shortcuts. */
export const beginsAmount = (key: string): boolean => /^[\d.,(+=\u2212-]$/.test(key);

const BEFORE = /^(?:\p{Sc}|[A-Z]{1,4}\p{Sc}?|kr|Fr\.?)\s*(?=[\d.,-])/u;
const AFTER = /(?<=[\d)])\s*(?:\p{Sc}|[A-Z]{2,4}|kr|zł|Kč|Ft)$/u;

export type Pasted = { readonly values: readonly (readonly (Decimal | undefined)[])[] } | { readonly error: string };

/**
 * Reads text of a spreadsheet: lines and tabs. An empty field is undefined, `-` and `–` are zero. Nothing is
 * taken when one field cannot be read.
 */
export function readPasted(text: string, style: NumberStyle): Pasted {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n+$/, '').split('\n');
  const values: (Decimal | undefined)[][] = [];
  for (const [index, line] of lines.entries()) {
    const row: (Decimal | undefined)[] = [];
    for (const field of line.split('\t')) {
      // A currency before or after the number is not part of it.
      const plain = field.trim().replace(BEFORE, '').replace(AFTER, '');
      const reading = /^[-\u2013]?$/.test(plain) ? undefined : readAmount(plain, style);
      if (reading?.kind === 'error') return { error: `"${field.trim()}" in line ${index + 1} is not an amount` };
      row.push(reading?.kind === 'amount' ? reading.value : /^[-\u2013]$/.test(plain) ? { units: 0n, scale: 0 } : undefined);
    }
    values.push(row);
  }
  return { values };
}
