import { useCallback, useMemo, useState } from 'react';
import type { Transaction } from '~/api/types';
import { cellKey, readCells, type Cell, type CellChange } from './cells';
import { useSetCells } from './actions';

export interface CellEdits {
  /** The cells with the changes that are being saved. */
  readonly cells: ReadonlyMap<string, Cell>;
  readonly set: (changes: readonly CellChange[], label: string) => void;
}

/** The cells of a budget, and writes that show at once. */
export function useCellEdits(budgetId: string, from: string, until: string, planned: readonly Transaction[] | undefined): CellEdits {
  const [pending, setPending] = useState<readonly (readonly CellChange[])[]>([]);
  const saved = useMemo(() => readCells(planned ?? []), [planned]);
  const cells = useMemo(() => {
    if (pending.length === 0) return saved;
    const merged = new Map(saved);
    for (const { name, month, value } of pending.flat()) merged.set(cellKey(name, month), { rows: [], ...merged.get(cellKey(name, month)), value });
    return merged;
  }, [saved, pending]);
  const forget = useCallback((changes: readonly CellChange[]) => setPending((all) => all.filter((other) => other !== changes)), []);
  const show = (changes: readonly CellChange[]) => {
    setPending((all) => [...all, changes]);
    return () => forget(changes);
  };
  // One cell is its own message; many at once say how many, and offer the undo.
  const { run: runOne } = useSetCells({ budgetId, from, until, show, quiet: true });
  const { run: runMany } = useSetCells({ budgetId, from, until, show, quiet: false });
  const set = useCallback(
    (changes: readonly CellChange[], label: string) => {
      if (changes.length > 0) void (changes.length === 1 ? runOne : runMany)({ changes, label }).finally(() => forget(changes));
    },
    [runOne, runMany, forget],
  );
  return { cells, set };
}
