import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { placeOf } from './listCursor';

/** Cursor and selection of a list. The selection holds keys, so it survives reloads of the rows. */
export interface ListState {
  readonly count: number;
  readonly keyAt: (index: number) => string;
  /** Index of the cursor row, which it follows when rows come and go; -1 before the first move. */
  readonly cursor: number;
  readonly setCursor: (index: number) => void;
  readonly selected: ReadonlySet<string>;
  readonly toggle: (index: number) => void;
  /** Selects from the row that was toggled last up to this one. */
  readonly selectTo: (index: number) => void;
  readonly selectAll: () => void;
  readonly clear: () => void;
  /** The selected keys, or that of the cursor row when none is selected. */
  readonly targets: () => string[];
}

const NONE: ReadonlySet<string> = new Set();

/** `resetKey` identifies the content; another one clears cursor and selection. */
export function useListState(count: number, keyAt: (index: number) => string, resetKey: string): ListState {
  const [state, setState] = useState({ resetKey, cursor: -1, key: '', selected: NONE });
  const anchor = useRef(-1);
  const own = state.resetKey === resetKey ? state : { resetKey, cursor: -1, key: '', selected: NONE };
  const cursor = placeOf(own.key, own.cursor, count, keyAt);
  const latest = useRef({ count, keyAt });
  latest.current = { count, keyAt };

  const update = useCallback(
    (change: (old: { selected: ReadonlySet<string> }) => { cursor?: number; key?: string; selected?: ReadonlySet<string> }) =>
      setState((old) => {
        const base = old.resetKey === resetKey ? old : { resetKey, cursor: -1, key: '', selected: NONE };
        return { ...base, ...change(base) };
      }),
    [resetKey],
  );
  const keysBetween = (first: number, last: number) => {
    const [from, to] = first < last ? [first, last] : [last, first];
    return Array.from({ length: to - from + 1 }, (_, offset) => latest.current.keyAt(from + offset));
  };
  const actions = useMemo(
    () => ({
      setCursor: (index: number) => update(() => ({ cursor: index, key: latest.current.keyAt(index) })),
      toggle: (index: number) => {
        if (index < 0 || index >= latest.current.count) return;
        anchor.current = index;
        update(({ selected }) => {
          const next = new Set(selected);
          const key = latest.current.keyAt(index);
          if (!next.delete(key)) next.add(key);
          return { selected: next };
        });
      },
      selectTo: (index: number) => {
        if (index < 0) return;
        const from = anchor.current < 0 ? index : Math.min(anchor.current, latest.current.count - 1);
        update(({ selected }) => ({ selected: new Set([...selected, ...keysBetween(from, index)]) }));
      },
      selectAll: () => update(() => ({ selected: new Set(keysBetween(0, latest.current.count - 1)) })),
      clear: () => update(() => ({ selected: NONE })),
    }),
    [update],
  );
  const key = cursor >= 0 ? keyAt(cursor) : '';
  useEffect(() => {
    if (cursor >= 0 && (cursor !== own.cursor || key !== own.key)) update(() => ({ cursor, key }));
  }, [cursor, key, own.cursor, own.key, update]);
  const targets = () => (own.selected.size > 0 ? [...own.selected] : cursor >= 0 ? [keyAt(cursor)] : []);
  return { count, keyAt, cursor, selected: own.selected, targets, ...actions };
}
