import { describe, expect, test } from 'vitest';
import { add, compare, formatMoney, parseDecimal, readAmount, round, subtract, sum, toInput, toPlain, type NumberStyle } from './money';

const dot: NumberStyle = { decimalSeparator: 'DOT', fractionDigits: 2 };
const comma: NumberStyle = { decimalSeparator: 'COMMA', fractionDigits: 2 };

function plain(text: string, style: NumberStyle = dot): string {
  const reading = readAmount(text, style);
  return reading.kind === 'amount' ? toPlain(reading.value) : reading.kind === 'error' ? `error: ${reading.message}` : '';
}

describe('decimals', () => {
  test.each(['0', '-0.01', '9223372036854775807.12345678', '100.50', '-1234'])('%s survives a round trip', (text) => {
    expect(toPlain(parseDecimal(text))).toBe(text);
  });

  test('texts that are not plain decimals are refused', () => {
    for (const text of ['', '1,5', '1e3', '.5', '5.', ' 1', '--1', 'NaN']) expect(() => parseDecimal(text)).toThrow(RangeError);
  });

  test('sums are exact where floating point is not', () => {
    expect(toPlain(add(parseDecimal('0.1'), parseDecimal('0.2')))).toBe('0.3');
    expect(toPlain(subtract(parseDecimal('9007199254740993'), parseDecimal('0.01')))).toBe('9007199254740992.99');
    expect(toPlain(sum(Array.from({ length: 10 }, () => parseDecimal('0.10'))))).toBe('1.00');
  });

  test('comparison ignores the scale', () => {
    expect(compare(parseDecimal('1.50'), parseDecimal('1.5'))).toBe(0);
    expect(compare(parseDecimal('-1'), parseDecimal('0.001'))).toBe(-1);
  });

  test('rounding is half up, away from zero', () => {
    expect(toPlain(round(parseDecimal('1.005'), 2))).toBe('1.01');
    expect(toPlain(round(parseDecimal('-1.005'), 2))).toBe('-1.01');
    expect(toPlain(round(parseDecimal('1.004'), 2))).toBe('1.00');
    expect(toPlain(round(parseDecimal('2'), 2))).toBe('2.00');
  });
});

describe('formatting', () => {
  test.each([
    ['1234567.5', dot, '1,234,567.50'],
    ['1234567.5', comma, '1.234.567,50'],
    ['-999', dot, '\u2212999.00'],
    ['-1000', comma, '\u22121.000,00'],
    ['0', dot, '0.00'],
    ['0.125', dot, '0.125'],
    ['0.1000', dot, '0.10'],
    ['1234', { decimalSeparator: 'DOT', fractionDigits: 0 } as NumberStyle, '1,234'],
  ])('%s', (text, style, expected) => {
    expect(formatMoney(parseDecimal(text), style)).toBe(expected);
  });

  test('input fields have no thousands separators', () => {
    expect(toInput(parseDecimal('1234567.5'), comma)).toBe('1234567,50');
  });
});

describe('amount entry', () => {
  test.each([
    ['12.50*3+4', '41.50'],
    ['12,50', '12.50'],
    ['1,234.56', '1234.56'],
    ['1,234', '1234.00'],
    ['1 234.56', '1234.56'],
    ["1'234", '1234.00'],
    ['100/3', '33.33'],
    ['100/3*3', '100.00'],
    ['-(2+3)*4', '-20.00'],
    ['2--3', '5.00'],
    ['.5', '0.50'],
    ['5.', '5.00'],
    ['1.005', '1.01'],
    [' 7 × 6 ÷ 2 ', '21.00'],
    ['\u22125', '-5.00'],
    ['', ''],
    ['1/0', 'error: division by zero'],
    ['12.50*', 'error: a number is missing'],
    ['(1+2', 'error: missing ")"'],
    ['1+2)', 'error: unexpected ")"'],
    ['lunch', 'error: unexpected "l"'],
    ['1,23,4', 'error: "1,23,4" is not a number'],
  ])('%s in a book with dots', (text, expected) => {
    expect(plain(text)).toBe(expected);
  });

  test.each([
    ['1.234', '1234.00'],
    ['1.234,56', '1234.56'],
    ['12,50*3+4', '41.50'],
    ['12.5', '12.50'],
    ['1 234,5', '1234.50'],
  ])('%s in a book with commas', (text, expected) => {
    expect(plain(text, comma)).toBe(expected);
  });

  test('only arithmetic counts as computed', () => {
    expect(readAmount('12.50', dot)).toMatchObject({ computed: false });
    expect(readAmount('12.50+1', dot)).toMatchObject({ computed: true });
  });

  test('deep parentheses do not overflow the stack', () => {
    expect(plain('('.repeat(100000))).toBe('error: too many parentheses');
  });
});
