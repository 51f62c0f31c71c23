/**
 * A virtual list of rows with a cursor and a selection, for the keyboard first. Only the visible rows exist
 * in the document. It is an ARIA grid: the list has the focus, `aria-activedescendant` names the cursor row.
 */
import { useEffect, useId, useRef, type MouseEvent, type ReactNode } from 'react';
import type { ListState } from './useListState';
import { useRowHeight } from './prefs';
import { useShortcut } from './shortcuts';
import { useRowWindow } from './useRowWindow';
import './List.css';

export interface ListColumn {
  readonly key: string;
  readonly title: ReactNode;
  /** Amounts are aligned to the right. */
  readonly isNumber?: boolean;
}

export interface ListProps {
  readonly label: string;
  /** Sets the columns in CSS: `.list-<name> { --columns: 90px 1fr 120px }`. */
  readonly name: string;
  readonly columns: readonly ListColumn[];
  readonly state: ListState;
  /** The cells of a row, one `<Cell>` for each column. */
  readonly renderRow: (index: number) => ReactNode;
  readonly rowClass?: (index: number) => string;
  /** Whether the row keeps its element when rows before it come or go: one that is being edited. */
  readonly keepsElement?: (index: number) => boolean;
  readonly onOpen?: (index: number) => void;
  /** Called when the last row comes near. */
  readonly onEnd?: (() => void) | undefined;
  /** Called with the first and the last row on the screen whenever they change. */
  readonly onRange?: ((first: number, last: number) => void) | undefined;
  /** A row below the last one, such as the opening balance. */
  readonly footer?: ReactNode;
  readonly empty?: ReactNode;
  readonly hasSelection?: boolean;
}

export function List({ label, name, columns, state, renderRow, rowClass, keepsElement, onOpen, onEnd, onRange, footer, empty, hasSelection = true }: ListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const rowHeight = useRowHeight();
  const { count, cursor, selected } = state;
  const { first, end, slots, scrollTo } = useRowWindow(scroller, count, rowHeight);
  useEffect(() => {
    if (onEnd && end >= count - 32) onEnd();
  }, [onEnd, end, count]);
  useEffect(() => onRange?.(first, end - 1), [onRange, first, end]);

  const move = (index: number) => {
    const target = Math.max(0, Math.min(count - 1, index));
    if (count === 0) return;
    state.setCursor(target);
    scrollTo(target);
  };
  const page = () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2);
  useShortcut('next', () => move(cursor + 1));
  useShortcut('previous', () => move(cursor - 1));
  useShortcut('page-down', () => move(cursor + page()));
  useShortcut('page-up', () => move(cursor - page()));
  useShortcut('first', () => move(0));
  useShortcut('last', () => move(count - 1));
  useShortcut('open', () => onOpen?.(cursor), onOpen !== undefined && cursor >= 0);
  useShortcut('select', () => state.toggle(cursor), hasSelection);
  useShortcut('select-range', () => state.selectTo(cursor), hasSelection);
  useShortcut('select-all', () => state.selectAll(), hasSelection);
  useShortcut('close', () => state.clear(), selected.size > 0);

  const click = (event: MouseEvent, index: number) => {
    if ((event.target as Element).closest('button, a, input, label')) return;
    state.setCursor(index);
    if (event.shiftKey && hasSelection) state.selectTo(index);
    else if ((event.metaKey || event.ctrlKey) && hasSelection) state.toggle(index);
    else onOpen?.(index);
  };
  const body = { height: count * rowHeight };

  const isBlank = count === 0 && empty !== undefined;
  const grid = (
    <div
      ref={scroller}
      className={`list list-${name} ${isBlank ? 'is-blank' : ''}`}
      role="grid"
      aria-label={label}
      aria-rowcount={onEnd ? -1 : count + 1}
      aria-multiselectable={hasSelection}
      aria-activedescendant={cursor >= 0 && count > 0 ? `${id}-${cursor}` : undefined}
      tabIndex={0}
    >
      <div className="list-head" role="row" aria-rowindex={1}>
        {columns.map((column) => (
          <span key={column.key} role="columnheader" className={column.isNumber ? 'cell number' : 'cell'}>{column.title}</span>
        ))}
      </div>
      <div className="list-body" role="rowgroup" style={body}>
        {Array.from({ length: end - first }, (_, offset) => first + offset).map((index) => (
          <div
            // A row that comes in takes the element of one that went out.
            key={keepsElement?.(index) ? state.keyAt(index) : index % slots}
            id={`${id}-${index}`}
            role="row"
            aria-rowindex={index + 2}
            aria-selected={hasSelection ? selected.has(state.keyAt(index)) : undefined}
            className={`list-row ${index === cursor ? 'is-cursor' : ''} ${rowClass?.(index) ?? ''}`}
            style={{ transform: `translateY(${index * rowHeight}px)` }}
            onClick={(event) => click(event, index)}
          >
            {renderRow(index)}
          </div>
        ))}
      </div>
      {count > 0 && footer}
    </div>
  );
  // A grid holds rows alone, so what an empty one says stands below it.
  return isBlank ? <>{grid}<div className="list-empty">{empty}</div></> : grid;
}

export function Cell({ className = '', isNumber = false, children, title }: {
  readonly className?: string;
  readonly isNumber?: boolean;
  readonly children?: ReactNode;
  readonly title?: string | undefined;
}) {
  return <span role="gridcell" className={`cell ${isNumber ? 'number' : ''} ${className}`} title={title}>{children}</span>;
}
