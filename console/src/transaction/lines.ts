/**
 * The lines of a list. Transactions of one day that share the property `entry_id` are one line, which opens
 * to its legs. Appended rows cost only themselves, so lists of a million rows stay fast.
 */
import type { Transaction } from '~/api/types';

export const ENTRY_ID = 'entry_id';

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
  readonly index: number;
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

export class LineIndex {
  lines: Line[] = [];
  private entries = new Map<string, { line: EntryLine; at: number }>();
  private done = 0;
  private structure = -1;
  private open: ReadonlySet<string> = new Set();

  /** `structure` changes whenever rows were removed or replaced; `open` has the keys of opened entries. */
  sync(rows: readonly Transaction[], structure: number, open: ReadonlySet<string>): readonly Line[] {
    if (structure !== this.structure || open !== this.open || rows.length < this.done) this.reset(structure, open);
    for (; this.done < rows.length; this.done += 1) this.append(rows, this.done);
    return this.lines;
  }

  private reset(structure: number, open: ReadonlySet<string>): void {
    this.structure = structure;
    this.open = open;
    this.done = 0;
    this.lines = [];
    this.entries = new Map();
  }

  private append(rows: readonly Transaction[], index: number): void {
    const id = entryIdOf(rows[index]);
    if (id === undefined) {
      this.lines.push(index);
      return;
    }
    const key = `${rows[index]!.date ?? ''} ${id}`;
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
    if (at === this.lines.length - 1) return;
    for (const entry of this.entries.values()) {
      if (entry.at >= at) entry.at += 1;
    }
  }
}
