import { useMemo, useRef, useState } from 'react';
import { useBook } from '~/book/types';
import type { AccountDrag } from './AccountDrag';
import { useMoveAccounts } from './actions';
import { groupOf, movedGroups, type AccountMove } from './batch';
import type { TreeRow } from './tree';

/** Moves the dragged account, or with it all selected ones. */
export function useAccountDrag(rows: readonly TreeRow[], selected: ReadonlySet<string>, onDone: () => void): AccountDrag {
  const { accountById, groupById } = useBook();
  const move = useMoveAccounts();
  const [row, setRow] = useState<TreeRow>();
  const latest = useRef({ row, rows, selected });
  latest.current = { row, rows, selected };
  return useMemo(() => {
    const movesTo = (groupId: string | undefined): AccountMove[] => {
      const { row: dragged, rows: all, selected: chosen } = latest.current;
      if (!dragged) return [];
      const sources = chosen.has(dragged.key) ? all.filter(({ key, kind }) => kind === 'account' && chosen.has(key)) : [dragged];
      return sources.flatMap((source) => {
        const account = accountById.get(source.id);
        const groups = account && movedGroups(account, groupOf(source.parentKey), groupId);
        return account && groups ? [{ account, groups }] : [];
      });
    };
    return {
      row,
      start: (next: TreeRow) => {
        latest.current = { ...latest.current, row: next };
        setRow(next);
      },
      end: () => setRow(undefined),
      accepts: (groupId) => movesTo(groupId).length > 0,
      drop: (groupId) => {
        const moves = movesTo(groupId);
        setRow(undefined);
        void move.run({ moves, to: groupId ? (groupById.get(groupId)?.name ?? '') : '' }).then((done) => done && onDone());
      },
    };
  }, [row, accountById, groupById, move, onDone]);
}
