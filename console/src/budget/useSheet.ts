/** The keyboard, the clipboard and the mouse of the budget: a cursor, a block, and a cell that is being edited. */
import { useRef, useState, type ClipboardEvent, type KeyboardEvent, type RefObject } from 'react';
import { useBook } from '~/book/types';
import { compare, isZero, readAmount, toInput, ZERO, type Decimal } from '~/lib/money';
import { showToast } from '~/ui/toasts';
import type { CellChange } from './cells';
import { figuresAt, isEditable, type BudgetColumn } from './columns';
import { beginsAmount, blockOf, clampPlace, moveBy, readPasted, type Block, type Place } from './cursor';
import type { BudgetRow } from './grid';

export interface SheetInput {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly rows: readonly BudgetRow[];
  readonly columns: readonly BudgetColumn[];
  readonly months: readonly string[];
  /** The month that the cursor begins in. */
  readonly start: number;
  readonly pageSize: () => number;
  readonly onSet: ((changes: readonly CellChange[], label: string) => void) | undefined;
  readonly onToggle: (key: string) => void;
  readonly isClosed: (key: string) => boolean;
  /** Opens what is behind the name or a figure. */
  readonly onOpen: (row: BudgetRow, column: BudgetColumn | undefined) => void;
}

export interface Editing {
  readonly place: Place;
  readonly text: string;
  readonly error: string | undefined;
  /** The first key replaced the value, so the arrow keys leave the cell. */
  readonly isTyped: boolean;
}

export function useSheet(input: SheetInput) {
  const { scroller, rows, columns, months, onSet } = input;
  const { numbers } = useBook();
  const [cursor, setCursor] = useState<Place>();
  const [anchor, setAnchor] = useState<Place>();
  const [editing, setEditing] = useState<Editing>();
  // A cell that was saved or given up loses the focus afterwards, which must not save it again.
  const isOver = useRef(true);
  const size = { rows: rows.length, columns: columns.length + 1 };
  const place = cursor && clampPlace(cursor, size);
  const block: Block | undefined = place && blockOf(place, anchor && clampPlace(anchor, size));
  const columnAt = (index: number): BudgetColumn | undefined => columns[index - 1];
  const canEdit = (row: number, column: number) => onSet !== undefined && isEditable(rows[row], columnAt(column));

  const go = (next: Place, extend = false) => {
    setAnchor(extend ? (anchor ?? place) : undefined);
    setCursor(clampPlace(next, size));
  };
  const valueAt = (row: number, column: number): Decimal => figuresAt(rows[row]!, columnAt(column)!).budget;
  const changeAt = (row: number, column: number, value: Decimal): CellChange[] => {
    if (!canEdit(row, column) || compare(valueAt(row, column), value) === 0) return [];
    return [{ name: rows[row]!.accountName, month: months[columnAt(column)!.at!]!, value }];
  };
  const changeBlock = ({ top, bottom, left, right }: Block, value: Decimal): CellChange[] => {
    const changes: CellChange[] = [];
    for (let row = top; row <= bottom; row += 1) for (let column = left; column <= right; column += 1) changes.push(...changeAt(row, column, value));
    return changes;
  };
  const set = (changes: readonly CellChange[]) => onSet?.(changes, changes.length === 1 ? 'Changed a cell of the budget' : `Changed ${changes.length} cells`);

  const begin = (at: Place, typed?: string) => {
    if (!canEdit(at.row, at.column)) return false;
    const value = valueAt(at.row, at.column);
    isOver.current = false;
    setEditing({ place: at, text: typed ?? (isZero(value) ? '' : toInput(value, numbers)), error: undefined, isTyped: typed !== undefined });
    return true;
  };
  const cancel = () => {
    isOver.current = true;
    setEditing(undefined);
    scroller.current?.focus({ preventScroll: true });
  };
  /** Takes what was typed; false if it is not an amount. `all` fills the selected block. */
  const commit = (all = false): boolean => {
    if (!editing) return true;
    const reading = readAmount(editing.text, numbers);
    if (reading.kind === 'error') {
      setEditing({ ...editing, error: reading.message });
      return false;
    }
    const value = reading.kind === 'amount' ? reading.value : ZERO;
    const { row, column } = editing.place;
    set(all && block ? changeBlock(block, value) : changeAt(row, column, value));
    cancel();
    return true;
  };
  /** A cell that loses the focus keeps a readable amount, and says so when it cannot. */
  const leave = () => {
    if (!editing || isOver.current) return;
    isOver.current = true;
    const reading = readAmount(editing.text, numbers);
    setEditing(undefined);
    if (reading.kind === 'error') showToast(`"${editing.text}" is not an amount. The cell keeps its value.`, { tone: 'error' });
    else set(changeAt(editing.place.row, editing.place.column, reading.kind === 'amount' ? reading.value : ZERO));
  };
  /** The next row that can be edited; the same one at the end. */
  const nextRow = (from: number, step: 1 | -1, column: number): number => {
    for (let row = from + step; row >= 0 && row < rows.length; row += step) if (canEdit(row, column)) return row;
    return from;
  };

  const onEditKey = (event: KeyboardEvent) => {
    const { row, column } = editing!.place;
    const after: Record<string, (() => Place) | undefined> = {
      Enter: () => ({ row: nextRow(row, event.shiftKey ? -1 : 1, column), column }),
      Tab: () => ({ row, column: column + (event.shiftKey ? -1 : 1) }),
      ArrowDown: () => ({ row: nextRow(row, 1, column), column }),
      ArrowUp: () => ({ row: nextRow(row, -1, column), column }),
      ...(editing!.isTyped ? { ArrowRight: () => ({ row, column: column + 1 }), ArrowLeft: () => ({ row, column: column - 1 }) } : {}),
    };
    if (event.key === 'Escape') cancel();
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) commit(true);
    else if (after[event.key]) {
      if (commit()) go(after[event.key]!());
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || !place || !block || event.altKey) return;
    const row = rows[place.row];
    const column = columnAt(place.column);
    const isMod = event.ctrlKey || event.metaKey;
    const isParent = row && (row.kind === 'group' || row.kind === 'section');
    if (isParent && place.column === 0 && !isMod && !event.shiftKey && event.key === (input.isClosed(row.key) ? 'ArrowRight' : 'ArrowLeft')) input.onToggle(row.key);
    else if (moveBy(event.key, place, size, input.pageSize(), isMod)) go(moveBy(event.key, place, size, input.pageSize(), isMod)!, event.shiftKey);
    else if (event.key === 'Enter' || event.key === 'F2') {
      if (isMod || !row) return;
      if (isParent && place.column === 0) input.onToggle(row.key);
      else if (event.shiftKey || !begin(place)) input.onOpen(row, column);
    } else if (event.key === 'Delete' || event.key === 'Backspace') set(changeBlock(block, ZERO));
    else if (event.key === 'Escape' && anchor) setAnchor(undefined);
    else if (isMod || !beginsAmount(event.key) || !begin(place, event.key)) return;
    event.preventDefault();
  };

  const onCopy = (event: ClipboardEvent) => {
    if (editing || !block) return;
    const lines: string[] = [];
    for (let row = block.top; row <= block.bottom; row += 1) {
      const fields: string[] = [];
      for (let column = block.left; column <= block.right; column += 1) {
        const own = columnAt(column);
        fields.push(own ? toInput(figuresAt(rows[row]!, own)[own.kind === 'actual' ? 'actual' : 'budget'], numbers) : rows[row]!.name);
      }
      lines.push(fields.join('\t'));
    }
    event.clipboardData.setData('text/plain', lines.join('\n'));
    event.preventDefault();
  };

  const onPaste = (event: ClipboardEvent) => {
    if (editing || !block || !onSet) return;
    event.preventDefault();
    const pasted = readPasted(event.clipboardData.getData('text/plain'), numbers);
    if ('error' in pasted) {
      showToast(`${pasted.error}. Nothing was pasted.`, { tone: 'error' });
      return;
    }
    const { values } = pasted;
    const only = values.length === 1 && values[0]!.length === 1 ? values[0]![0] : undefined;
    if (only) {
      set(changeBlock(block, only));
      return;
    }
    // A column goes down over the accounts; rows of groups between them take no line.
    const changes: CellChange[] = [];
    const left = Math.max(1, block.left);
    let row = canEdit(block.top, left) ? block.top : nextRow(block.top, 1, left);
    let rest = 0;
    for (const [index, fields] of values.entries()) {
      if (rest > 0) break;
      fields.forEach((value, offset) => {
        if (value && left + offset < size.columns) changes.push(...changeAt(row, left + offset, value));
      });
      const next = nextRow(row, 1, left);
      if (next === row) rest = values.length - 1 - index;
      row = next;
    }
    set(changes);
    if (rest > 0) showToast(`${rest} ${rest === 1 ? 'line' : 'lines'} did not fit below`);
  };

  const onFocus = () => {
    if (!cursor && rows.length > 0) setCursor(clampPlace({ row: Math.max(0, nextRow(-1, 1, input.start + 1)), column: input.start + 1 }, size));
  };
  const press = (at: Place, extend: boolean) => {
    if (editing && !commit()) return;
    if (!extend && place?.row === at.row && place.column === at.column && !anchor && begin(at)) return;
    go(at, extend);
  };
  const reading = editing ? readAmount(editing.text, numbers) : undefined;
  return {
    place, block, editing, reading, press, begin, leave, onFocus, onKeyDown, onEditKey, onCopy, onPaste,
    extendTo: (at: Place) => go(at, true),
    type: (text: string) => editing && setEditing({ ...editing, text, error: undefined }),
  };
}
