/**
 * The lines of a list. Transactions of one day that share the property `entry_id` are one line, which opens
 * to its legs. The rows of a day stand together, so no entry reaches beyond them. Rows that are appended or
 * replaced cost only themselves and their day; those behind them get a new number. So lists of a million rows
 * stay fast.
 */
import type { Transaction } from '~/api/types';

export const ENTRY_ID = 'entry_id';
/** Properties of both halves of a transfer between books, which share an `entry_id` too. */
export const FROM_BOOK = 'transfer_from_book';
export const TO_BOOK = 'transfer_to_book';

/** A row of its own is the index of that row. */
export type Line = number | EntryLine | LegLine;

export interface EntryLine {
  readonly kind: 'entry';
  /** Identifies the line while the rows stay. */
  readonly key: string;
  readonly legs: number[];
}

export interface LegLine {
  readonly kind: 'leg';
  index: number;
}

/** A change of the rows: `added` ones replaced `removed` ones from `start` on. */
export interface RowChange {
  readonly start: number;
  readonly removed: number;
  readonly added: number;
}

export function entryIdOf(row: Transaction | undefined): string | undefined {
  return row?.properties?.[ENTRY_ID] || undefined;
}

export function isEntry(line: Line | undefined): line is EntryLine {
  return typeof line === 'object' && line.kind === 'entry';
}

/** The indexes of the rows that a line stands for. */
export function rowsOfLine(line: Line | undefined): readonly number[] {
  if (line === undefined) return [];
  if (typeof line === 'number') return [line];
  return line.kind === 'entry' ? line.legs : [line.index];
}

/** The rows of each line in order: one, or those of a day that share an entry. */
export function rowsByLine(rows: readonly Transaction[]): Transaction[][] {
  return new LineIndex().sync(rows, [], new Set()).map((line) => rowsOfLine(line).map((at) => rows[at]!));
}

/** A longer stretch of rows is not replaced; all lines are made again. */
const MAX_REPLACED = 20_000;

export class LineIndex {
  private lines: Line[] = [];
  /** Entries of the last day, which rows that are appended may belong to. */
  private entries = new Map<string, { line: EntryLine; at: number }>();
  private day: Transaction['date'];
  /** The rows and the changes that the lines contain. */
  private done = 0;
  private applied = 0;
  private open: ReadonlySet<string> = new Set();

  /** `changes` has all changes of the rows so far, except for appended ones; `open` the keys of opened entries. */
  sync(rows: readonly Transaction[], changes: readonly RowChange[], open: ReadonlySet<string>): readonly Line[] {
    if (open !== this.open) this.setOpen(open);
    const change = combine(changes.slice(this.applied));
    this.applied = changes.length;
    if (change) this.replace(rows, change);
    for (; this.done < rows.length; this.done += 1) this.append(rows, this.done);
    return this.lines;
  }

  private setOpen(open: ReadonlySet<string>): void {
    const before = this.open;
    this.open = open;
    for (const key of [...open, ...before]) {
      if (open.has(key) === before.has(key)) continue;
      const at = this.lines.findIndex((line) => isEntry(line) && line.key === key);
      if (at < 0) continue;
      const { legs } = this.lines[at] as EntryLine;
      if (open.has(key)) this.lines.splice(at + 1, 0, ...legs.map((index): LegLine => ({ kind: 'leg', index })));
      else this.lines.splice(at + 1, legs.length);
      this.moveEntries(at + 1, open.has(key) ? legs.length : -legs.length);
    }
  }

  /** Makes the lines of changed rows again, with those of the days that they touch. */
  private replace(rows: readonly Transaction[], { start, removed, added }: RowChange): void {
    if (start >= this.done) return;
    const moved = added - removed;
    const from = dayStart(rows, start);
    const end = dayEnd(rows, start + added);
    if (end >= this.done + moved) return this.cut(from);
    if (end - from > MAX_REPLACED) return this.cut(0);
    const middle = new LineIndex();
    middle.open = this.open;
    for (let index = from; index < end; index += 1) middle.append(rows, index);
    const [first, last] = [this.lineOf(from), this.lineOf(end - moved)];
    if (moved !== 0) this.shift(last, moved);
    this.lines.splice(first, last - first, ...middle.lines);
    this.moveEntries(last, middle.lines.length - (last - first));
    this.done += moved;
  }

  /** Removes the lines of a day and all after it. */
  private cut(from: number): void {
    this.lines.length = this.lineOf(from);
    this.entries.clear();
    this.day = undefined;
    this.done = from;
  }

  /** The first line of the day that begins with a row. */
  private lineOf(row: number): number {
    let [low, high] = [0, this.lines.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rowsOfLine(this.lines[middle])[0]! < row) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Gives new numbers to the rows of all lines from one on. */
  private shift(from: number, by: number): void {
    for (let at = from; at < this.lines.length; at += 1) {
      const line = this.lines[at]!;
      if (typeof line === 'number') this.lines[at] = line + by;
      else if (line.kind === 'leg') line.index += by;
      else line.legs.forEach((row, leg) => { line.legs[leg] = row + by; });
    }
    for (const { line: { legs }, at } of this.entries.values()) {
      // An entry of one leg is not among the lines yet.
      if (at >= from && legs.length === 1) legs[0]! += by;
    }
  }

  private moveEntries(from: number, by: number): void {
    for (const entry of this.entries.values()) {
      if (entry.at >= from) entry.at += by;
    }
  }

  private append(rows: readonly Transaction[], index: number): void {
    const row = rows[index]!;
    if (row.date !== this.day) {
      this.entries.clear();
      this.day = row.date;
    }
    const id = entryIdOf(row);
    if (id === undefined) {
      this.lines.push(index);
      return;
    }
    const key = `${row.date ?? ''} ${id}`;
    const known = this.entries.get(key);
    if (!known) {
      this.entries.set(key, { line: { kind: 'entry', key, legs: [index] }, at: this.lines.length });
      // One leg alone is an ordinary row until another one is found.
      this.lines.push(index);
      return;
    }
    const { line, at } = known;
    line.legs.push(index);
    const isOpen = this.open.has(key);
    if (line.legs.length === 2) {
      this.lines[at] = line;
      if (isOpen) this.insert(at + 1, { kind: 'leg', index: line.legs[0]! });
    }
    if (isOpen) this.insert(at + line.legs.length, { kind: 'leg', index });
  }

  private insert(at: number, line: LegLine): void {
    this.lines.splice(at, 0, line);
    this.moveEntries(at, 1);
  }
}

/** Several changes, one after another, as one. */
function combine(changes: readonly RowChange[]): RowChange | undefined {
  let found: RowChange | undefined;
  for (const next of changes) {
    if (!found) {
      found = next;
      continue;
    }
    const start = Math.min(found.start, next.start);
    // In the numbers between both changes.
    const end = Math.max(found.start + found.added, next.start + next.removed);
    found = { start, removed: end - start + found.removed - found.added, added: end - start + next.added - next.removed };
  }
  return found;
}

/** The first row of the day before a row. */
function dayStart(rows: readonly Transaction[], index: number): number {
  let at = index;
  while (at > 0 && rows[at - 1]!.date === rows[index - 1]!.date) at -= 1;
  return at;
}

/** The row after the day of a row. */
function dayEnd(rows: readonly Transaction[], index: number): number {
  let at = index;
  while (at < rows.length && rows[at]!.date === rows[index]!.date) at += 1;
  return at;
}
