/** The budget as a spreadsheet: accounts down, months across. Rows are virtual; the names and the heading stay in place. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useId, useMemo, useRef, type CSSProperties, type MouseEvent } from 'react';
import { accountPath, bookPath, groupPath, transactionsPath } from '~/book/paths';
import { useBook } from '~/book/types';
import { navigate } from '~/lib/router';
import { useNarrow, usePrefs } from '~/ui/prefs';
import { BudgetCell, NameCell } from './BudgetCell';
import { BudgetFoot } from './BudgetFoot';
import type { CellChange } from './cells';
import { columnsOf, type BudgetColumn } from './columns';
import { isInBlock, type Place } from './cursor';
import type { BudgetRow } from './grid';
import { useSheet } from './useSheet';

export function BudgetGrid({ rows, months, closed, onToggle, onSet }: {
  readonly rows: readonly BudgetRow[];
  readonly months: readonly string[];
  readonly closed: ReadonlySet<string>;
  readonly onToggle: (key: string) => void;
  readonly onSet: ((changes: readonly CellChange[], label: string) => void) | undefined;
}) {
  const { id: bookId, today } = useBook();
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const { density } = usePrefs();
  const isNarrow = useNarrow();
  const columns = useMemo(() => columnsOf(months), [months]);
  const isOne = months.length === 1;
  const height = (isOne ? (isNarrow ? 36 : 26) : 40) + (density === 'compact' ? 0 : 6);
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => scroller.current, estimateSize: () => height, overscan: 12 });
  useEffect(() => virtual.measure(), [height, virtual]);
  const thisMonth = today.slice(0, 7);

  const open = (row: BudgetRow, column: BudgetColumn | undefined) => {
    const period = column?.at === undefined ? (months.length === 1 ? months[0]! : `${months[0]}-01..${monthEnd(months.at(-1)!)}`) : months[column.at]!;
    if (row.accountId) navigate(`${accountPath(bookId, row.accountId)}?period=${period}`);
    else if (row.groupId) navigate(`${groupPath(bookId, row.groupId)}?period=${period}`);
    else if (row.kind === 'section') navigate(`${transactionsPath(bookId, `type:${row.isIncome ? 'INCOMING' : 'OUTGOING'}`)}&period=${period}`);
    else navigate(`${bookPath(bookId, 'reports/income-statement')}?period=${period}`);
  };
  const sheet = useSheet({
    scroller, rows, columns, months, onSet, onToggle, onOpen: open,
    start: Math.max(0, months.indexOf(thisMonth)),
    pageSize: () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / height) - 2),
    isClosed: (key) => closed.has(key),
  });
  const { place, block, editing } = sheet;
  const cellId = ({ row, column }: Place) => `${id}-${row}-${column}`;
  const active = place && cellId(place);
  const activeRow = place?.row;
  useEffect(() => {
    if (activeRow === undefined || !active) return;
    virtual.scrollToIndex(activeRow, { align: 'auto' });
    document.getElementById(active)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [active, activeRow, virtual]);
  const mouse = (at: Place) => ({
    onMouseDown: (event: MouseEvent) => {
      if (event.button !== 0 || (event.target as Element).closest('input, button, a')) return;
      event.preventDefault();
      scroller.current?.focus({ preventScroll: true });
      sheet.press(at, event.shiftKey);
    },
    onMouseEnter: (event: MouseEvent) => {
      if (event.buttons === 1 && place && !editing) sheet.extendTo(at);
    },
    onDoubleClick: () => void sheet.begin(at),
  });
  const style = { '--budget-months': months.length, '--budget-row': `${height}px` } as CSSProperties;
  return (
    <>
      <div
        ref={scroller}
        className={`budget-grid ${isOne ? 'is-one' : ''}`}
        style={style}
        role="treegrid"
        aria-label="Budget"
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length + 1}
        aria-multiselectable="true"
        aria-readonly={onSet ? undefined : true}
        aria-activedescendant={editing ? undefined : active}
        tabIndex={0}
        onFocus={(event) => event.target === event.currentTarget && sheet.onFocus()}
        onKeyDown={sheet.onKeyDown}
        onCopy={sheet.onCopy}
        onPaste={sheet.onPaste}
      >
        <div className="budget-line budget-head" role="row" aria-rowindex={1}>
          <span role="columnheader" className="budget-name">Account</span>
          {columns.map((column) => (
            <span key={column.key} role="columnheader" className={`budget-figure ${column.at !== undefined && months[column.at] === thisMonth ? 'is-now' : ''}`}>{column.title}</span>
          ))}
        </div>
        <div className="budget-body" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index]!;
            const isParent = row.kind === 'group' || row.kind === 'section';
            return (
              <div
                key={row.key}
                role="row"
                aria-rowindex={index + 2}
                aria-level={row.depth + 1}
                aria-expanded={isParent ? !closed.has(row.key) : undefined}
                className={`budget-line budget-${row.kind}`}
                style={{ transform: `translateY(${start}px)` }}
              >
                <NameCell row={row} id={cellId({ row: index, column: 0 })} isCursor={place?.row === index && place.column === 0} isClosed={closed.has(row.key)} onToggle={onToggle} onOpen={() => open(row, undefined)} {...mouse({ row: index, column: 0 })} />
                {columns.map((column, at) => {
                  const here = { row: index, column: at + 1 };
                  const isEdited = editing?.place.row === index && editing.place.column === at + 1;
                  return (
                    <BudgetCell
                      key={column.key}
                      row={row}
                      column={column}
                      until={months[column.at ?? months.length - 1]!}
                      thisMonth={thisMonth}
                      id={cellId(here)}
                      isCursor={place?.row === index && place.column === at + 1}
                      isSelected={block !== undefined && isInBlock(block, index, at + 1)}
                      isReadOnly={onSet === undefined}
                      editing={isEdited ? editing : undefined}
                      onType={sheet.type}
                      onEditKey={sheet.onEditKey}
                      onLeave={sheet.leave}
                      {...mouse(here)}
                    />
                  );
                })}
              </div>
            );
          })}
        </div>
      </div>
      <BudgetFoot rows={rows} columns={columns} months={months} place={place} block={block} reading={sheet.reading} error={editing?.error} canEdit={onSet !== undefined} />
    </>
  );
}

const monthEnd = (month: string): string => `${month}-${String(new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate()).padStart(2, '0')}`;
