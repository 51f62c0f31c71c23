import { expect, test } from 'vitest';
import { toPlain } from '~/lib/money';
import { beginsAmount, blockOf, isInBlock, moveBy, readPasted } from './cursor';

const style = { decimalSeparator: 'COMMA', fractionDigits: 2 } as const;
const size = { rows: 4, columns: 3 };

test('keys move the cursor inside the sheet', () => {
  expect(moveBy('ArrowDown', { row: 3, column: 1 }, size, 10, false)).toEqual({ row: 3, column: 1 });
  expect(moveBy('ArrowUp', { row: 3, column: 1 }, size, 10, true)).toEqual({ row: 0, column: 1 });
  expect(moveBy('End', { row: 1, column: 0 }, size, 10, false)).toEqual({ row: 1, column: 2 });
  expect(moveBy('PageDown', { row: 0, column: 2 }, size, 2, false)).toEqual({ row: 2, column: 2 });
  expect(moveBy('j', { row: 0, column: 0 }, size, 2, false)).toBeUndefined();
});

test('a block lies between the cursor and its anchor', () => {
  const block = blockOf({ row: 1, column: 2 }, { row: 3, column: 1 });
  expect(block).toEqual({ top: 1, bottom: 3, left: 1, right: 2 });
  expect(isInBlock(block, 2, 1)).toBe(true);
  expect(isInBlock(block, 2, 0)).toBe(false);
});

test('digits begin an amount, letters are shortcuts', () => {
  expect(['7', '-', ',', '('].every(beginsAmount)).toBe(true);
  expect(['z', 'n', 'Enter', '?'].some(beginsAmount)).toBe(false);
});

test('a pasted column is read with currencies and empty lines', () => {
  const read = (text: string) => {
    const pasted = readPasted(text, style);
    return 'error' in pasted ? pasted.error : pasted.values.map((line) => line.map((value) => value && toPlain(value)).join('|'));
  };
  expect(read('1.200,50\r\n\r\n€ 30\n12,5 EUR\n-\n')).toEqual(['1200.50', '', '30.00', '12.50', '0']);
  expect(read('1\t2\n3\t')).toEqual(['1.00|2.00', '3.00|']);
  expect(read('10*12\n-5')).toEqual(['120.00', '-5.00']);
  expect(read('1\nabc')).toBe('"abc" in line 2 is not an amount');
});
