/**
 * The query language (behaviour 1) as far as the console needs it: tokens for highlighting and completion,
 * and edits of terms. The server alone decides what a query means.
 */

export interface Token {
  readonly kind: 'term' | 'hashtag' | 'text' | 'keyword' | 'paren';
  readonly start: number;
  readonly end: number;
  readonly negated: boolean;
  /** Of a term: the operator in lower case, and the value without quotes with the place where it starts. */
  readonly operator?: string;
  readonly value?: string;
  readonly valueStart?: number;
  readonly quote?: string;
}

const KEYWORDS = new Set(['AND', 'OR', 'NOT']);
/** A name up to its colon; amounts alone are compared. Web addresses are words (1.1.11). */
const OPERATOR = /^(?!https?:\/\/)(?:amount:?(?:>=|<=|=|>|<)|\p{L}[^\s:)]*:)/iu;

/** Splits a query into tokens. Every text has tokens; an unclosed quote takes the rest (1.1.10). */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text[at]!)) {
      at += 1;
      continue;
    }
    const start = at;
    const negated = text[at] === '-' && at + 1 < text.length && !/\s/.test(text[at + 1]!);
    if (negated) at += 1;
    if (text[at] === '(' || text[at] === ')') {
      tokens.push({ kind: 'paren', start, end: (at += 1), negated });
      continue;
    }
    const operator = OPERATOR.exec(text.slice(at))?.[0];
    if (operator) {
      at += operator.length;
      while (text[at] === ' ' && operator.endsWith(':') && /\S/.test(text.slice(at)) && !startsTerm(text, at)) at += 1;
      const { value, end, quote } = readValue(text, at);
      tokens.push({
        kind: 'term', start, end, negated, operator: operator.replace(/[:<>=]+$/, '').toLowerCase(), value, valueStart: at,
        ...(quote ? { quote } : {}),
      });
      at = end;
      continue;
    }
    const { value, end, quote } = readValue(text, at);
    at = Math.max(end, at + 1);
    const kind = KEYWORDS.has(value) && !quote ? 'keyword' : value.startsWith('#') && !quote ? 'hashtag' : 'text';
    tokens.push({ kind, start, end: at, negated, value, valueStart: start + (negated ? 1 : 0), ...(quote ? { quote } : {}) });
  }
  return tokens;
}

/** Whether an operator term, hashtag, keyword or parenthesis follows the space at `at` (1.1.6). */
function startsTerm(text: string, at: number): boolean {
  const rest = text.slice(at).trimStart().replace(/^-/, '');
  return /^[#()]/.test(rest) || OPERATOR.test(rest) || /^(AND|OR|NOT)(\s|$)/.test(rest);
}

function readValue(text: string, at: number): { value: string; end: number; quote?: string } {
  const quote = text[at];
  if (quote !== '"' && quote !== "'") {
    const end = at + /^[^\s)]*/.exec(text.slice(at))![0].length;
    return { value: text.slice(at, end), end };
  }
  let value = '';
  for (let index = at + 1; index < text.length; index += 1) {
    const character = text[index]!;
    const next = text[index + 1];
    if (character === '\\' && (next === quote || next === '\\')) {
      value += next;
      index += 1;
    } else if (character === quote && (next === undefined || /[\s)]/.test(next))) {
      return { value, end: index + 1, quote };
    } else {
      value += character;
    }
  }
  return { value, end: text.length, quote };
}

/** Quotes a value unless it is one plain word. */
export function quoteValue(value: string): string {
  if (/^[^\s()'"\\]+$/.test(value)) return value;
  return `'${value.replace(/[\\']/g, '\\$&')}'`;
}

export function term(operator: string, value: string): string {
  return `${operator}:${quoteValue(value)}`;
}

const DATE_OPERATORS = new Set(['on', 'period', 'after', 'before']);

const isDateTerm = (token: Token): boolean => token.kind === 'term' && !token.negated && DATE_OPERATORS.has(token.operator!);

export function hasDateTerms(text: string): boolean {
  return tokenize(text).some(isDateTerm);
}

/** The query without its date terms. */
export function withoutDateTerms(text: string): string {
  return withoutTokens(text, isDateTerm);
}

/** The date terms of the query alone. */
export function dateTerms(text: string): string {
  return withoutTokens(text, (token) => !isDateTerm(token));
}

export function withoutTokens(text: string, drop: (token: Token) => boolean): string {
  const kept = tokenize(text).filter((token) => !drop(token));
  return kept.map((token) => text.slice(token.start, token.end)).join(' ');
}

/** Joins query parts with spaces and skips empty ones. */
export function joinQuery(...queryParts: (string | undefined)[]): string {
  return queryParts.map((part) => part?.trim()).filter(Boolean).join(' ');
}

export interface CompletionSources {
  readonly accounts: readonly string[];
  readonly groups: readonly string[];
  readonly hashtags: readonly string[];
  readonly propertyKeys: readonly string[];
  readonly users: readonly string[];
}

export interface CompletionItem {
  readonly label: string;
  readonly insert: string;
  readonly detail: string;
}

export interface Completion {
  /** The part of the text that the item replaces. */
  readonly from: number;
  readonly to: number;
  readonly items: readonly CompletionItem[];
}

const OPERATORS: readonly (readonly [string, string])[] = [
  ['account:', 'on either side'],
  ['group:', 'any account of the group'],
  ['from:', 'the account the money comes from'],
  ['to:', 'the account the money goes to'],
  ['on:', 'a day, month or year'],
  ['after:', 'from the start of'],
  ['before:', 'up to the start of'],
  ['is:', 'draft, unchecked, checked, posted, trashed'],
  ['amount:', 'also amount>100'],
  ['has:', 'file, url'],
  ['type:', 'of a side'],
  ['by:', 'recorded by'],
  ['agent:', 'recorded by the app'],
  ['remoteId:', 'id in another system'],
  ['error:', 'app responses'],
  ['using:', 'postDate: dates of posting'],
];

const FIXED: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  is: [['draft', ''], ['unchecked', ''], ['checked', ''], ['posted', 'unchecked or checked'], ['trashed', '']],
  has: [['file', 'attachments'], ['url', 'links']],
  type: [['ASSET', 'assets'], ['LIABILITY', 'liabilities'], ['INCOMING', 'income'], ['OUTGOING', 'expenses']],
  error: [['true', 'an app responded with an error'], ['false', '']],
  using: [['postDate', 'dates of posting']],
};

const DATES: readonly (readonly [string, string])[] = [
  ['$m', 'this month'], ['$m-1', 'last month'], ['$y', 'this year'], ['$y-1', 'last year'],
  ['$q', 'this quarter'], ['$w', 'this week'], ['today', ''], ['yesterday', ''],
];

const LIMIT = 12;

/** What can be completed at the caret, best matches first; no items where nothing can be. */
export function complete(text: string, caret: number, sources: CompletionSources): Completion {
  const none: Completion = { from: caret, to: caret, items: [] };
  const token = tokenize(text).find(({ start, end }) => start < caret && caret <= end);
  if (!token || token.kind === 'paren' || token.kind === 'keyword') return none;
  if (token.kind === 'hashtag') {
    const typed = text.slice(token.valueStart! + 1, caret);
    const items = rank(sources.hashtags, typed).map((tag) => ({ label: `#${tag}`, insert: `#${tag} `, detail: '' }));
    return { from: token.valueStart!, to: token.end, items };
  }
  if (token.kind === 'term') {
    if (caret < token.valueStart!) return none;
    const typed = text.slice(token.valueStart! + (token.quote ? 1 : 0), caret);
    return { from: token.valueStart!, to: token.end, items: valueItems(token.operator!, typed, sources) };
  }
  if (token.quote) return none;
  const typed = text.slice(token.valueStart!, caret);
  const operators = rank(OPERATORS.map(([name]) => name), typed).map((name) => ({
    label: name, insert: name, detail: OPERATORS.find(([known]) => known === name)![1],
  }));
  const accounts = typed.length < 2 ? [] : rank(sources.accounts, typed).map((name) => accountItem(name));
  const keys = rank(sources.propertyKeys, typed).map((key) => ({ label: `${key}:`, insert: `${key}:`, detail: 'property' }));
  return { from: token.valueStart!, to: token.end, items: [...operators, ...accounts, ...keys].slice(0, LIMIT) };
}

function accountItem(name: string): CompletionItem {
  return { label: name, insert: `${term('account', name)} `, detail: 'account' };
}

function valueItems(operator: string, typed: string, sources: CompletionSources): readonly CompletionItem[] {
  const values = (list: readonly string[], detail: string) =>
    rank(list, typed).map((name) => ({ label: name, insert: `${quoteValue(name)} `, detail }));
  switch (operator) {
    case 'account': case 'acc': case 'from': case 'to':
      return values(sources.accounts, 'account');
    case 'group':
      return values(sources.groups, 'group');
    case 'on': case 'after': case 'before': case 'period':
      return fixedItems(DATES, typed);
    case 'by': case 'user': case 'createdby':
      return values(sources.users, 'person');
    default:
      return fixedItems(FIXED[operator] ?? [], typed);
  }
}

function fixedItems(list: readonly (readonly [string, string])[], typed: string): readonly CompletionItem[] {
  return list
    .filter(([value]) => value.toLowerCase().startsWith(typed.toLowerCase()))
    .map(([value, detail]) => ({ label: value, insert: `${value} `, detail }));
}

/** Latin letters that have no form of base letter and mark. */
const LETTERS: Readonly<Record<string, string>> = { ß: 's', æ: 'ae', ø: 'o', đ: 'd', ł: 'l', ħ: 'h', ı: 'i', ŧ: 't', ŀ: 'l', ꜳ: 'aa', ƀ: 'b', ɨ: 'i', ʉ: 'u', ƶ: 'z' };
const folded = new Map<string, string>();

/** For comparison, as the server searches (1.2.4): lower case, and Latin letters without diacritics. */
export function fold(text: string): string {
  const known = folded.get(text);
  if (known !== undefined) return known;
  if (folded.size > 20_000) folded.clear();
  const result = /^[\x00-\x7f]*$/.test(text)
    ? text.toLowerCase()
    : text.toLowerCase().normalize('NFD').replace(/([a-z])\p{M}+/gu, '$1').normalize('NFC').replace(/ς/g, 'σ').replace(/[^\x00-\x7f]/gu, (letter) => LETTERS[letter] ?? letter);
  folded.set(text, result);
  return result;
}

/** Names that contain the typed text: at the start, at the start of a word, anywhere. At most `limit`. */
export function rank(names: readonly string[], typed: string, limit: number = LIMIT): string[] {
  const wanted = fold(typed);
  const found: string[][] = [[], [], []];
  for (const name of names) {
    const folded = fold(name);
    const index = folded.indexOf(wanted);
    if (index < 0) continue;
    const atWord = index > 0 && (/[^\p{L}\p{N}]/u.test(folded[index - 1]!) || folded.includes(` ${wanted}`));
    found[index === 0 ? 0 : atWord ? 1 : 2]!.push(name);
    if (found[0]!.length >= limit) break;
  }
  return found.flat().slice(0, limit);
}
