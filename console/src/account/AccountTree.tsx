import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { accountPath, groupPath } from '~/book/paths';
import { useBook } from '~/book/types';
import { usePeriod } from '~/frame/period';
import { navigate, useSearch, usePath } from '~/lib/router';
import { Icon } from '~/ui/Icon';
import { Money } from '~/ui/Money';
import { prefs, setPrefs, usePrefs } from '~/ui/prefs';
import { useBalances } from './queries';
import { treeRows, type TreeRow } from './tree';

/** The accounts and groups of the book with their balances at the end of the period. */
export function AccountTree() {
  const { id: bookId, accounts, groups, can } = useBook();
  const { terms } = usePeriod();
  const { data: balances } = useBalances(terms || 'by:y');
  const { collapsed, density } = usePrefs();
  const rows = useMemo(
    () => treeRows({ accounts, groups, balances, collapsed: new Set(collapsed) }),
    [accounts, groups, balances, collapsed],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = density === 'compact' ? 24 : 30;
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => scroller.current, estimateSize: () => rowHeight, overscan: 10 });
  useEffect(() => virtual.measure(), [rowHeight, virtual]);
  const [cursor, setCursor] = useState(-1);
  const [drag, setDrag] = useState<typeof import('./TreeDrag')>();
  const [hasFocus, setFocus] = useState(false);
  const loadDrag = () => {
    if (can('EDITOR') && !drag) void import('./TreeDrag').then(setDrag);
  };
  const path = usePath();
  const search = useSearch();
  const period = new URLSearchParams(search).get('period');
  const pathOf = (row: TreeRow) =>
    (row.kind === 'account' ? accountPath : groupPath)(bookId, row.id) + (period ? `?period=${period}` : '');

  const move = (index: number) => {
    const target = Math.max(0, Math.min(rows.length - 1, index));
    setCursor(target);
    virtual.scrollToIndex(target);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[cursor];
    if (event.key === 'ArrowDown') move(cursor + 1);
    else if (event.key === 'ArrowUp') move(cursor - 1);
    else if (event.key === 'Home') move(0);
    else if (event.key === 'End') move(rows.length - 1);
    else if (event.key === 'ArrowRight' && row?.isOpen === false) toggle(row);
    else if (event.key === 'ArrowRight' && row?.isOpen) move(cursor + 1);
    else if (event.key === 'ArrowLeft' && row?.isOpen) toggle(row);
    else if (event.key === 'ArrowLeft' && row?.parentKey) move(rows.findIndex(({ key }) => key === row.parentKey));
    else if (event.key === 'Enter' && row && row.kind !== 'heading') navigate(pathOf(row));
    else return;
    event.preventDefault();
  };
  const body = (
    <div className="tree-body" style={{ height: virtual.getTotalSize() }} role="presentation">
      {virtual.getVirtualItems().map(({ index, start }) => {
        const row = rows[index]!;
        return (
          <div key={row.key} role="presentation" className="tree-line" style={{ transform: `translateY(${start}px)`, height: rowHeight }}>
            <TreeItem
              row={row}
              id={`tree-${index}`}
              isCursor={index === cursor}
              drag={row.kind === 'heading' ? undefined : drag}
              hasKey={hasFocus && index === cursor}
              isCurrent={row.kind !== 'heading' && path === pathOf(row).split('?')[0]}
              onOpen={() => {
                setCursor(index);
                navigate(pathOf(row));
              }}
            />
          </div>
        );
      })}
    </div>
  );
  if (accounts.length === 0) return <p className="sidebar-empty muted">No accounts yet.</p>;
  return (
    <section className="tree-section" aria-label="Accounts">
      <h2 className="sidebar-heading">Accounts</h2>
      <div
        ref={scroller}
        className="tree"
        role="tree"
        aria-label="Accounts and groups"
        tabIndex={0}
        aria-activedescendant={rows[cursor] ? `tree-${cursor}` : undefined}
        onKeyDown={onKeyDown}
        onPointerEnter={({ pointerType }) => pointerType === 'mouse' && loadDrag()}
        onFocus={() => {
          loadDrag();
          setFocus(true);
          if (cursor < 0) setCursor(0);
        }}
        onBlur={({ currentTarget, relatedTarget }) => setFocus(currentTarget.contains(relatedTarget))}
      >
        {drag ? <drag.DragScope rows={rows} tree={scroller}>{body}</drag.DragScope> : body}
      </div>
    </section>
  );
}

function toggle(row: TreeRow): void {
  const { collapsed } = prefs();
  setPrefs({ collapsed: row.isOpen ? [...collapsed, row.id] : collapsed.filter((id) => id !== row.id) });
}

function TreeItem({ row, id, isCursor, isCurrent, drag, hasKey, onOpen }: {
  readonly row: TreeRow;
  readonly id: string;
  readonly isCursor: boolean;
  readonly isCurrent: boolean;
  readonly drag: typeof import('./TreeDrag') | undefined;
  /** Whether the key that drags is for this row. */
  readonly hasKey: boolean;
  readonly onOpen: () => void;
}) {
  const { numbers, money } = useBook();
  const name = <bdi className="truncate" title={row.name}>{row.name}</bdi>;
  const classes = `tree-item tree-${row.kind} ${isCursor ? 'is-cursor' : ''}`;
  return (
    <div
      id={id}
      role="treeitem"
      aria-label={row.balance ? `${row.name} ${money(row.balance)}` : row.name}
      aria-level={row.depth + 1}
      aria-expanded={row.isOpen}
      aria-selected={isCurrent}
      aria-current={isCurrent ? 'page' : undefined}
      className={classes}
      style={{ paddingLeft: 8 + row.depth * 12 }}
      onClick={row.kind === 'heading' ? undefined : onOpen}
    >
      <span
        className="tree-toggle"
        onClick={(event) => {
          if (row.isOpen === undefined) return;
          event.stopPropagation();
          toggle(row);
        }}
      >
        {row.isOpen !== undefined && <Icon name={row.isOpen ? 'down' : 'right'} size={11} />}
      </span>
      {drag ? <drag.DragRow row={row} isCursor={hasKey}>{name}</drag.DragRow> : name}{' '}
      {row.balance && <Money value={row.balance} style={numbers} className="tree-balance" />}
    </div>
  );
}
