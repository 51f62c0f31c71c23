/**
 * The typed line as text: what the server read in it as segments, completion at its end, relative days and
 * swapped sides. The server alone decides what a line means (behaviour 3.8 and 3.15).
 */
import type { components } from '~/api/schema';
import { addDays, weekday } from '~/lib/dates';
import { fold, rank } from '~/lib/query';

export type PreviewToken = components['schemas']['PreviewToken'];
export type TokenKind = PreviewToken['kind'];

export interface Segment {
  readonly text: string;
  readonly start: number;
  /** Absent for text that becomes the description. */
  readonly kind?: TokenKind;
}

/**
 * Cuts the text at its tokens. Tokens of an older text count as far as both texts begin alike, so colours
 * stay while a person types on.
 */
export function toSegments(text: string, tokens: readonly PreviewToken[], readText = text): Segment[] {
  const segments: Segment[] = [];
  const limit = commonPrefix(text, readText);
  let at = 0;
  for (const { start, end, kind } of [...tokens].sort((a, b) => a.start - b.start)) {
    if (start < at || end <= start || end > limit) continue;
    if (start > at) segments.push({ text: text.slice(at, start), start: at });
    segments.push({ text: text.slice(start, end), start, kind });
    at = end;
  }
  if (at < text.length) segments.push({ text: text.slice(at), start: at });
  return segments;
}

function commonPrefix(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  let at = 0;
  while (at < length && left[at] === right[at]) at += 1;
  return at;
}

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** A relative day at the end of a line: `today`, `yesterday`, `tomorrow`, or the latest `monday`. */
export function relativeDay(word: string, today: string): string | undefined {
  const offset = { today: 0, yesterday: -1, tomorrow: 1 }[word];
  if (offset !== undefined) return addDays(today, offset);
  const index = DAYS.indexOf(word);
  return index < 0 ? undefined : addDays(today, -((weekday(today) - index + 7) % 7));
}

export interface ExpandedLine {
  /** The line as the server gets it. */
  readonly sent: string;
  /** The relative day that was replaced by a date, as a part of the typed line. */
  readonly word?: { readonly start: number; readonly end: number; readonly day: string };
}

/** `4x`: the server repeats a line of one row only when it has a date (3.8.2.8). */
const REPEATS = /(^|\s)\$?\d{1,2}x(\s|$)/i;

/**
 * Replaces a relative day that is the last word, which the server does not read. A line that repeats gets
 * today as its date.
 */
export function expandLine(text: string, today: string): ExpandedLine {
  const sent = text.trimEnd();
  const start = sent.search(/\S+$/);
  const day = start > 0 ? relativeDay(sent.slice(start).toLowerCase(), today) : undefined;
  return day ? { sent: sent.slice(0, start) + day, word: { start, end: sent.length, day } } : { sent: REPEATS.test(sent) && !seemsDated(sent) ? withDay(sent, today) : sent };
}

/** Offsets of tokens in the sent line as offsets in the typed line. */
export function toTyped(tokens: readonly PreviewToken[], { sent, word }: ExpandedLine): PreviewToken[] {
  if (!word) return [...tokens];
  return tokens.map((token) => (token.end === sent.length ? { ...token, end: word.end } : token));
}

/** The line with a date: the server records a line without one as a draft (3.2.4). */
export function withDay(sent: string, day: string): string {
  return `${sent} ${day}`;
}

/** Whether a line has a date as far as the console can tell. Only for servers without preview. */
export function seemsDated(text: string): boolean {
  return /(^|\s)(\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}\/\d{1,2}(\/\d{4})?)(\s|$)/.test(text);
}

/** Swaps the names of both accounts in the line, or returns undefined unless it names both. */
export function swapSides(text: string, tokens: readonly PreviewToken[]): string | undefined {
  const sides = tokens.filter(({ kind }) => kind === 'creditAccount' || kind === 'debitAccount').sort((a, b) => a.start - b.start);
  const [first, second] = sides;
  if (!first || !second || sides.length !== 2 || second.end > text.length) return undefined;
  return (
    text.slice(0, first.start) + text.slice(second.start, second.end) + text.slice(first.end, second.start) +
    text.slice(first.start, first.end) + text.slice(second.end)
  );
}

export interface LineCompletion {
  /** Where the completed part begins; it ends at the end of the text. */
  readonly from: number;
  /** Names of accounts, or hashtags with their `#`. */
  readonly items: readonly string[];
}

const MAX_WORDS = 4;
const MAX_ITEMS = 6;
const NOTHING: LineCompletion = { from: 0, items: [] };

/**
 * Completes the end of the line: a hashtag, or an account by its beginning in up to four words, or by any
 * part of its name in one word. Accents and case are ignored.
 */
export function completeLine(text: string, accounts: readonly string[], hashtags: readonly string[]): LineCompletion {
  if (!text || /\s$/.test(text)) return NOTHING;
  const starts = [...text.matchAll(/\S+/g)].map((match) => match.index).slice(-MAX_WORDS);
  const last = starts.at(-1)!;
  const word = text.slice(last);
  const hashtag = /^(-?#)(.*)$/.exec(word);
  if (hashtag) {
    const items = rank(hashtags, hashtag[2]!, MAX_ITEMS).filter((tag) => tag !== hashtag[2]).map((tag) => hashtag[1] + tag);
    return items.length > 0 ? { from: last, items } : NOTHING;
  }
  if (/["'<>]/.test(word) || !/\p{L}/u.test(word)) return NOTHING;
  for (const from of starts) {
    const typed = fold(text.slice(from));
    if (typed.length < 2) continue;
    const items = accounts.filter((name) => fold(name).startsWith(typed));
    if (items.some((name) => fold(name) === typed)) return NOTHING;
    if (items.length > 0) return { from, items: items.slice(0, MAX_ITEMS) };
  }
  const items = word.length < 2 ? [] : rank(accounts, word, MAX_ITEMS);
  return items.length > 0 ? { from: last, items } : NOTHING;
}

/** The text with the chosen completion and a space behind it. */
export function takeCompletion(text: string, completion: LineCompletion, item: string): string {
  return `${text.slice(0, completion.from)}${item} `;
}

/** What to show behind the caret for a completion: the rest of the name, or all of it behind an arrow. */
export function ghostText(text: string, completion: LineCompletion, item: string): string {
  const typed = text.slice(completion.from);
  return fold(item).startsWith(fold(typed)) && item.length >= typed.length ? item.slice(typed.length) : ` \u2192 ${item}`;
}

/** The last words that are no token, for the name of a new account. */
export function unreadTail(text: string, tokens: readonly PreviewToken[]): string {
  const segments = toSegments(text, tokens);
  return [...segments].reverse().find(({ kind, text: part }) => !kind && /\p{L}/u.test(part))?.text.trim() ?? '';
}
