/**
 * Exact decimal amounts as scaled BigInt. No amount becomes a Number.
 *
 * The API writes plain decimals with a dot (behaviour 3.12.6). People type and read the separators of the
 * book (3.8.6).
 */

/** The value `units / 10^scale`. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

export interface NumberStyle {
  readonly decimalSeparator: 'DOT' | 'COMMA';
  readonly fractionDigits: number;
}

export const ZERO: Decimal = { units: 0n, scale: 0 };
export const MINUS = '\u2212';

/** Parses a plain decimal of the API. Throws a RangeError for any other text. */
export function parseDecimal(text: string): Decimal {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) throw new RangeError(`not a plain decimal: ${JSON.stringify(text)}`);
  const [, sign, whole, fraction = ''] = match;
  const units = BigInt(whole! + fraction);
  return { units: sign ? -units : units, scale: fraction.length };
}

/** Parses a decimal of the API that may be absent; absence counts as zero. */
export function decimalOrZero(text: string | null | undefined): Decimal {
  return text ? parseDecimal(text) : ZERO;
}

const pow10 = (digits: number): bigint => 10n ** BigInt(digits);

function unitsAt(value: Decimal, scale: number): bigint {
  return value.units * pow10(scale - value.scale);
}

export function add(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale);
  return { units: unitsAt(left, scale) + unitsAt(right, scale), scale };
}

export function negate(value: Decimal): Decimal {
  return { units: -value.units, scale: value.scale };
}

export function subtract(left: Decimal, right: Decimal): Decimal {
  return add(left, negate(right));
}

export function sum(values: Iterable<Decimal>): Decimal {
  let total = ZERO;
  for (const value of values) total = add(total, value);
  return total;
}

export function compare(left: Decimal, right: Decimal): number {
  const difference = subtract(left, right).units;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function isZero(value: Decimal): boolean {
  return value.units === 0n;
}

export function isNegative(value: Decimal): boolean {
  return value.units < 0n;
}

/** Divides and rounds half away from zero, the server's "half-up" (3.12.4). */
function divideRounded(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n !== denominator < 0n;
  const n = numerator < 0n ? -numerator : numerator;
  const d = denominator < 0n ? -denominator : denominator;
  const rounded = (2n * n + d) / (2n * d);
  return negative ? -rounded : rounded;
}

/** Rounds to so many decimals, half up; a value with fewer decimals is widened. */
export function round(value: Decimal, digits: number): Decimal {
  if (value.scale <= digits) return { units: unitsAt(value, digits), scale: digits };
  return { units: divideRounded(value.units, pow10(value.scale - digits)), scale: digits };
}

/** The plain decimal that the API takes: `-1234.50`. */
export function toPlain(value: Decimal): string {
  const digits = (value.units < 0n ? -value.units : value.units).toString().padStart(value.scale + 1, '0');
  const whole = digits.slice(0, digits.length - value.scale);
  const fraction = value.scale ? `.${digits.slice(-value.scale)}` : '';
  return (value.units < 0n ? '-' : '') + whole + fraction;
}

/**
 * Formats with the separators and decimals of the book, groups of three and a true minus: `−1.234,50`.
 * Decimals beyond `fractionDigits` are shown when the value has them.
 */
export function formatMoney(value: Decimal, style: NumberStyle): string {
  const plain = toPlain(trim(value, style.fractionDigits));
  const [whole = '', fraction] = plain.replace('-', '').split('.');
  const comma = style.decimalSeparator === 'COMMA';
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, comma ? '.' : ',');
  return (value.units < 0n ? MINUS : '') + grouped + (fraction ? (comma ? ',' : '.') + fraction : '');
}

/** A count with the separators of the book: `1,234`. */
export function formatCount(count: number, style: NumberStyle): string {
  return formatMoney({ units: BigInt(count), scale: 0 }, { ...style, fractionDigits: 0 });
}

/** Removes trailing zeros beyond `digits` decimals and pads up to them. */
function trim(value: Decimal, digits: number): Decimal {
  let { units, scale } = value;
  while (scale > digits && units % 10n === 0n) {
    units /= 10n;
    scale -= 1;
  }
  return scale < digits ? round({ units, scale }, digits) : { units, scale };
}

/** The text for an input field: book separator, no groups. */
export function toInput(value: Decimal, style: NumberStyle): string {
  const plain = toPlain(trim(value, style.fractionDigits));
  return style.decimalSeparator === 'COMMA' ? plain.replace('.', ',') : plain;
}

export type AmountReading =
  | { readonly kind: 'empty' }
  | { readonly kind: 'amount'; readonly value: Decimal; readonly computed: boolean }
  | { readonly kind: 'error'; readonly message: string };

/**
 * Reads what a person typed into an amount field: a number or arithmetic with `+ - * / ( )`. Division is
 * exact until the result is rounded to the decimals of the book.
 */
export function readAmount(text: string, style: NumberStyle): AmountReading {
  if (!text.trim()) return { kind: 'empty' };
  const parser = new Arithmetic(text, style);
  try {
    const { numerator, denominator } = parser.parse();
    const digits = style.fractionDigits;
    const units = divideRounded(numerator * pow10(digits), denominator);
    return { kind: 'amount', value: { units, scale: digits }, computed: parser.operators > 0 };
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: 'error', message: error.message };
    throw error;
  }
}

interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Recursive descent over `sum = product (+|-) product`, `product = factor (*|/) factor`. */
class Arithmetic {
  operators = 0;
  private at = 0;
  private depth = 0;
  private readonly text: string;

  constructor(
    text: string,
    private readonly style: NumberStyle,
  ) {
    this.text = text.replaceAll(MINUS, '-').replaceAll('×', '*').replaceAll('÷', '/');
  }

  parse(): Fraction {
    const value = this.sum();
    if (this.peek()) throw new SyntaxError(`unexpected "${this.peek()}"`);
    return value;
  }

  private peek(): string {
    while (/\s/.test(this.text[this.at] ?? '')) this.at += 1;
    return this.text[this.at] ?? '';
  }

  private take(...accepted: string[]): string | undefined {
    const next = this.peek();
    if (!accepted.includes(next)) return undefined;
    this.at += 1;
    return next;
  }

  private sum(): Fraction {
    let left = this.product();
    for (let sign = this.take('+', '-'); sign; sign = this.take('+', '-')) {
      this.operators += 1;
      const right = this.product();
      const scaled = right.numerator * left.denominator;
      left = {
        numerator: left.numerator * right.denominator + (sign === '+' ? scaled : -scaled),
        denominator: left.denominator * right.denominator,
      };
    }
    return left;
  }

  private product(): Fraction {
    let left = this.factor();
    for (let sign = this.take('*', '/'); sign; sign = this.take('*', '/')) {
      this.operators += 1;
      const right = this.factor();
      if (sign === '/' && right.numerator === 0n) throw new SyntaxError('division by zero');
      left =
        sign === '*'
          ? { numerator: left.numerator * right.numerator, denominator: left.denominator * right.denominator }
          : { numerator: left.numerator * right.denominator, denominator: left.denominator * right.numerator };
    }
    return left;
  }

  private factor(): Fraction {
    const sign = this.take('-', '+');
    if (sign) {
      const value = this.factor();
      return sign === '-' ? { ...value, numerator: -value.numerator } : value;
    }
    if (this.take('(')) {
      if ((this.depth += 1) > 64) throw new SyntaxError('too many parentheses');
      const value = this.sum();
      if (!this.take(')')) throw new SyntaxError('missing ")"');
      this.depth -= 1;
      return value;
    }
    return this.number();
  }

  private number(): Fraction {
    this.peek();
    // A space groups thousands only between digits: `1 234,56`.
    const match = /^(?:[\d.,'\u2019\u00b4`\u00a0\u2007\u2009\u202f]|(?<=\d) (?=\d{3}(?!\d)))+/.exec(this.text.slice(this.at));
    if (!match) throw new SyntaxError(this.peek() ? `unexpected "${this.peek()}"` : 'a number is missing');
    this.at += match[0].length;
    const value = readNumber(match[0], this.style.decimalSeparator);
    if (!value) throw new SyntaxError(`"${match[0]}" is not a number`);
    return { numerator: value.units, denominator: pow10(value.scale) };
  }
}

const GROUPS = " '\u2019\u00b4`\u00a0\u2007\u2009\u202f";

/** Reads one number, first in the convention of the book, then in the other one (3.8.2.1). */
export function readNumber(text: string, separator: 'DOT' | 'COMMA'): Decimal | undefined {
  return separator === 'DOT' ? (readPunctuated(text, '.', ',') ?? readPunctuated(text, ',', '.')) : (readPunctuated(text, ',', '.') ?? readPunctuated(text, '.', ','));
}

/** Groups of three have one kind of separator. They follow a digit that counts, so `0,500` is no 500. */
function readPunctuated(text: string, point: string, thousand: string): Decimal | undefined {
  const [whole = '', fraction = '', ...more] = text.split(point);
  const group = [...whole].find((character) => character === thousand || GROUPS.includes(character));
  const [first = '', ...rest] = group ? whole.split(group) : [whole];
  const digits = first + rest.join('');
  if (more.length > 0 || !/^\d*$/.test(digits + fraction) || !(digits + fraction)) return undefined;
  if (group && (first.length < 1 || first.length > 3 || rest.some(({ length }) => length !== 3))) return undefined;
  if (group && first.startsWith('0') && /[1-9]/.test(digits)) return undefined;
  return { units: BigInt(digits + fraction), scale: fraction.length };
}
