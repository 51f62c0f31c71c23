/** Accounts and groups are dragged to groups by mouse, touch and keyboard. */
import { createContext, useContext, useRef, type ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { useDrag } from 'react-aria/useDrag';
import { useDrop } from 'react-aria/useDrop';
import { useShortcut } from '~/ui/shortcuts';
import { Icon } from '~/ui/Icon';
import type { TreeRow } from './tree';
import './AccountDrag.css';

const TYPE = 'application/x-daybook-account';

export interface AccountDrag {
  /** The row that is being dragged. */
  readonly row: TreeRow | undefined;
  readonly start: (row: TreeRow) => void;
  readonly end: () => void;
  /** Whether the move would change anything; undefined stands for no group. */
  readonly accepts: (groupId: string | undefined) => boolean;
  readonly drop: (groupId: string | undefined) => void;
}

/** Undefined where nothing can be moved. */
export const AccountDragContext = createContext<AccountDrag | undefined>(undefined);

/** The name of an account or group with its handle. Shift+M drags that of the cursor by keyboard. */
function DragName({ row, isCursor, children }: { readonly row: TreeRow; readonly isCursor: boolean; readonly children: ReactNode }) {
  const drag = useContext(AccountDragContext)!;
  const handle = useRef<HTMLButtonElement>(null);
  const { dragProps, dragButtonProps, isDragging } = useDrag({
    hasDragButton: true,
    getItems: () => [{ [TYPE]: row.id, 'text/plain': row.name }],
    getAllowedDropOperations: () => ['move'],
    onDragStart: () => drag.start(row),
    onDragEnd: drag.end,
  });
  type Press = Parameters<NonNullable<typeof dragButtonProps.onPress>>[0];
  const begin = () => dragButtonProps.onPress?.({ pointerType: 'keyboard', target: handle.current! } as unknown as Press);
  useShortcut('move-account', begin, isCursor);
  return (
    <span {...dragProps} className={`chart-drag ${isDragging ? 'is-dragging' : ''}`}>
      {children}
      <AriaButton {...dragButtonProps} ref={handle} excludeFromTabOrder className="chart-handle" aria-label={`Move ${row.name} to a group`}><Icon name="grip" size={13} /></AriaButton>
    </span>
  );
}

/** The place that takes accounts out of all groups, and groups to the top level. */
export function TopPlace() {
  const drag = useContext(AccountDragContext)!;
  return (
    <DropPlace groupId={undefined} name="no group" className="chart-top">
      {drag.row?.kind === 'group' ? 'Move to the top level' : 'Take out of all groups'}
    </DropPlace>
  );
}

/** A name that can be dragged; that of a group also takes what is dropped on its row. */
export function DragRow({ row, isCursor, children }: { readonly row: TreeRow; readonly isCursor: boolean; readonly children: ReactNode }) {
  if (!useContext(AccountDragContext)) return children;
  return (
    <>
      <DragName row={row} isCursor={isCursor}>{children}</DragName>
      {row.kind === 'group' && <DropPlace groupId={row.id} name={row.name} className="chart-drop" />}
    </>
  );
}

/** Where something can be dropped: a layer over the row of a group, or a place with a text of its own. */
function DropPlace({ groupId, name, className, children }: {
  readonly groupId: string | undefined;
  readonly name: string;
  readonly className: string;
  readonly children?: ReactNode;
}) {
  const drag = useContext(AccountDragContext)!;
  const ref = useRef<HTMLSpanElement>(null);
  const isOpen = drag.row !== undefined && drag.accepts(groupId);
  const { dropProps, isDropTarget } = useDrop({
    ref,
    getDropOperation: (types) => (types.has(TYPE) && drag.accepts(groupId) ? 'move' : 'cancel'),
    onDrop: () => drag.drop(groupId),
  });
  return (
    <span
      ref={ref}
      {...(dropProps as object)}
      {...(isOpen ? { role: 'button', tabIndex: -1, ...(children ? {} : { 'aria-label': `Move to ${name}` }) } : {})}
      className={`${className} ${isOpen ? 'is-open' : ''} ${isDropTarget ? 'is-target' : ''}`}
    >
      {children}
    </span>
  );
}
