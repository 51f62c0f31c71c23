import { useCallback, useMemo, useRef, useState } from 'react';
import type { Transaction } from '~/api/types';
import { isEntry, LineIndex, rowsOfLine, type Line, type RowChange } from './lines';

export interface Lines {
  readonly lines: readonly Line[];
  /** Identifies the line in selections: the id of its row, or the entry. */
  readonly keyAt: (index: number) => string;
  readonly rowsAt: (index: number) => Transaction[];
  /** The rows of selected keys, each once. */
  readonly rowsOf: (keys: Iterable<string>) => Transaction[];
  readonly isOpen: (key: string) => boolean;
  readonly toggle: (key: string, open?: boolean) => void;
}

const ENTRY_PREFIX = 'entry ';

/** The rows that lines are made of. */
export interface LineRows {
  readonly rows: readonly Transaction[];
  readonly changes: readonly RowChange[];
  readonly locate: (ids: Iterable<string>) => number[];
}

/** Rows that are all there. */
export function allRows(rows: readonly Transaction[]): LineRows {
  const locate = (ids: Iterable<string>) => {
    const wanted = new Set(ids);
    return rows.flatMap(({ id }, at) => (wanted.has(id!) ? [at] : []));
  };
  return { rows, changes: [], locate };
}

/** The rows of a list as lines: entries are one line that opens to its legs. */
export function useLines(list: LineRows): Lines {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const index = useMemo(() => new LineIndex(), [list]); // eslint-disable-line react-hooks/exhaustive-deps
  const lines = index.sync(list.rows, list.changes, open);
  const latest = useRef({ lines, list });
  latest.current = { lines, list };

  const rowsAt = useCallback((at: number) => {
    const { lines: now, list: { rows } } = latest.current;
    return rowsOfLine(now[at]).flatMap((row) => rows[row] ?? []);
  }, []);
  const keyAt = useCallback((at: number) => {
    const line = latest.current.lines[at];
    return isEntry(line) ? ENTRY_PREFIX + line.key : (rowsAt(at)[0]?.id ?? String(at));
  }, [rowsAt]);
  const rowsOf = useCallback((keys: Iterable<string>) => {
    const { lines: now, list: shown } = latest.current;
    const [entries, ids] = [new Set<string>(), new Set<string>()];
    for (const key of keys) (key.startsWith(ENTRY_PREFIX) ? entries : ids).add(key);
    const found = new Set(shown.locate(ids));
    for (let at = 0; at < now.length && entries.size > 0; at += 1) {
      const line = now[at];
      if (isEntry(line) && entries.delete(ENTRY_PREFIX + line.key)) line.legs.forEach((row) => found.add(row));
    }
    return [...found].sort((a, b) => a - b).flatMap((row) => shown.rows[row] ?? []);
  }, []);
  const toggle = useCallback((key: string, wanted?: boolean) => {
    setOpen((old) => {
      if (old.has(key) === wanted) return old;
      const next = new Set(old);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  }, []);
  return { lines, keyAt, rowsAt, rowsOf, isOpen: (key) => open.has(key), toggle };
}
