/** Dragging in the sidebar, which loads when the pointer or the focus comes to it. */
import { useCallback, type ReactNode, type RefObject } from 'react';
import { createPortal } from 'react-dom';
import { AccountDragContext, TopPlace } from './AccountDrag';
import type { TreeRow } from './tree';
import { useAccountDrag } from './useAccountDrag';

export { DragRow } from './AccountDrag';

const NONE: ReadonlySet<string> = new Set();

/** Lets the rows of the tree be dragged. The place of the top level stands outside of the tree, which has rows only. */
export function DragScope({ rows, tree, children }: {
  readonly rows: readonly TreeRow[];
  readonly tree: RefObject<HTMLElement | null>;
  readonly children: ReactNode;
}) {
  const drag = useAccountDrag(rows, NONE, useCallback(() => tree.current?.focus(), [tree]));
  const section = tree.current?.parentElement;
  return (
    <AccountDragContext.Provider value={drag}>
      {children}
      {section && createPortal(<TopPlace />, section)}
    </AccountDragContext.Provider>
  );
}
