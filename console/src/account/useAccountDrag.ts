import { useMemo, useRef, useState } from 'react';
import { useBook } from '~/book/types';
import type { AccountDrag } from './AccountDrag';
import { useMoveAccounts } from './actions';
import { canMoveGroup, groupOf, movedGroups, type AccountMove } from './batch';
import { useMoveGroup } from './groupActions';
import type { TreeRow } from './tree';

/** Moves what is dragged: a group, an account, or with it all selected accounts. */
export function useAccountDrag(rows: readonly TreeRow[], selected: ReadonlySet<string>, onDone: () => void): AccountDrag {
  const { accountById, groupById } = useBook();
  const moveAccounts = useMoveAccounts();
  const moveGroup = useMoveGroup();
  const [row, setRow] = useState<TreeRow>();
  const latest = useRef({ row, rows, selected });
  latest.current = { row, rows, selected };
  return useMemo(() => {
    const movesTo = (groupId: string | undefined): AccountMove[] => {
      const { row: dragged, rows: all, selected: chosen } = latest.current;
      if (dragged?.kind !== 'account') return [];
      const sources = chosen.has(dragged.key) ? all.filter(({ key, kind }) => kind === 'account' && chosen.has(key)) : [dragged];
      return sources.flatMap((source) => {
        const account = accountById.get(source.id);
        const groups = account && movedGroups(account, groupOf(source.parentKey), groupId);
        return account && groups ? [{ account, groups }] : [];
      });
    };
    const draggedGroup = () => (latest.current.row?.kind === 'group' ? groupById.get(latest.current.row.id) : undefined);
    return {
      row,
      start: (next: TreeRow) => {
        latest.current = { ...latest.current, row: next };
        setRow(next);
      },
      end: () => setRow(undefined),
      accepts: (groupId) => {
        const group = draggedGroup();
        return group ? canMoveGroup(groupById, group.id!, groupId) : movesTo(groupId).length > 0;
      },
      drop: (groupId) => {
        const group = draggedGroup();
        const to = groupId === undefined ? undefined : groupById.get(groupId);
        const done = group ? moveGroup.run({ group, to }) : moveAccounts.run({ moves: movesTo(groupId), to: to?.name ?? '' });
        setRow(undefined);
        void done.then((result) => result && onDone());
      },
    };
  }, [row, accountById, groupById, moveAccounts, moveGroup, onDone]);
}
