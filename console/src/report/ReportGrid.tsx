/**
 * The rows of a report: a tree of groups that open and close, with a link from each figure to its
 * transactions. Virtual, because ledgers and journals are long. The first column stays in place.
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useId, useRef, useState, type CSSProperties, type KeyboardEvent } from 'react';
import { usePrefs } from '~/ui/prefs';
import { useShortcut } from '~/ui/shortcuts';
import { ReportCell } from './ReportCell';
import { headSpans, type ReportColumn, type VisibleRow } from './rows';

export interface ReportGridProps {
  readonly label: string;
  readonly columns: readonly ReportColumn[];
  /** Indexes of the columns to show. */
  readonly shown: readonly number[];
  readonly rows: readonly VisibleRow[];
  readonly isListing: boolean;
  readonly onToggle: (groupKey: string) => void;
  /** Opens the row of a transaction. */
  readonly onOpen: (row: VisibleRow) => void;
  readonly pathOf: (row: VisibleRow, column: ReportColumn) => string | undefined;
}

const WIDTHS: Record<string, string> = {
  account: 'minmax(var(--report-first), 1.6fr)', text: 'minmax(170px, 2fr)', date: '92px', at: '146px', recordedAt: '146px',
  user: '110px', recordedBy: '110px', app: '90px', change: '150px', checked: '76px', before: 'minmax(110px, 1fr)', after: 'minmax(110px, 1fr)',
};

/** A year by month has thirteen amounts: they are narrower, so that most of them are on the screen. */
const MANY = 8;

const widthOf = ({ key, kind }: ReportColumn, isDense: boolean): string =>
  WIDTHS[key] ?? { text: 'minmax(120px, 1fr)', date: '92px', instant: '146px', amount: isDense ? 'minmax(78px, 0.6fr)' : 'minmax(112px, 0.6fr)', percent: '74px', number: '74px' }[kind];

export function ReportGrid({ label, columns, shown, rows, isListing, onToggle, onOpen, pathOf }: ReportGridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const [cursor, setCursor] = useState(-1);
  const { density } = usePrefs();
  const height = density === 'compact' ? 26 : 32;
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => scroller.current, estimateSize: () => height, overscan: 16 });
  useEffect(() => virtual.measure(), [height, virtual]);
  const at = Math.min(cursor, rows.length - 1);
  const move = (index: number) => {
    const target = Math.max(0, Math.min(rows.length - 1, index));
    setCursor(target);
    virtual.scrollToIndex(target, { align: 'auto' });
  };
  const open = () => {
    const row = rows[at];
    if (!row) return;
    if (row.isOpen !== undefined) onToggle(row.groupKey!);
    else onOpen(row);
  };
  const page = () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / height) - 2);
  useShortcut('next', () => move(at + 1));
  useShortcut('previous', () => move(at - 1));
  useShortcut('page-down', () => move(at + page()));
  useShortcut('page-up', () => move(at - page()));
  useShortcut('first', () => move(0));
  useShortcut('last', () => move(rows.length - 1));
  useShortcut('open', open, at >= 0);
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at];
    if (!row?.groupKey || row.isOpen === undefined || event.target !== event.currentTarget) return;
    if (event.key !== (row.isOpen ? 'ArrowLeft' : 'ArrowRight')) return;
    event.preventDefault();
    onToggle(row.groupKey);
  };
  const visible = shown.map((index) => columns[index]!);
  const spans = headSpans(visible);
  const isDense = visible.filter(({ kind }) => kind === 'amount').length > MANY;
  const minWidth = visible.reduce((total, { kind, key }) => total + (kind === 'text' && key !== 'checked' ? 150 : kind === 'amount' ? (isDense ? 86 : 122) : 100), 60);
  const style = { '--columns': visible.map((column) => widthOf(column, isDense)).join(' '), '--report-width': `${minWidth}px` } as CSSProperties;
  return (
    <div
      ref={scroller}
      className={`report-grid ${isListing ? 'report-listing' : ''} ${isDense ? 'report-dense' : ''}`}
      style={style}
      role="treegrid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div className="report-head" role="rowgroup">
        {spans && (
          <div className="report-row report-over" aria-hidden="true">
            {spans.map((item, index) => <span key={index} className="report-cell" style={{ gridColumn: `span ${item.span}` }}>{item.label}</span>)}
          </div>
        )}
        <div className="report-row" role="row" aria-rowindex={1}>
          {visible.map((column) => (
            <span key={column.key} role="columnheader" className={`report-cell report-is-${column.kind}`}>
              {column.over && <span className="hidden-visually">{column.over} </span>}<bdi>{isDense ? shortMonth(column.label) : column.label}</bdi>
            </span>
          ))}
        </div>
      </div>
      <div className="report-body" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]!;
          return (
            <div
              key={index}
              id={`${id}-${index}`}
              role="row"
              aria-rowindex={index + 2}
              aria-level={row.row.depth + (row.row.kind === 'section' ? 1 : 2)}
              aria-expanded={row.isOpen}
              className={`report-row report-${row.row.kind} ${row.isOpen === false ? 'is-closed' : ''} ${row.section === 'Equity' ? '' : 'is-outcome'} ${index === at ? 'is-cursor' : ''}`}
              style={{ transform: `translateY(${start}px)`, '--depth': row.row.kind === 'section' ? 0 : row.row.depth } as CSSProperties}
              onClick={(event) => {
                if ((event.target as Element).closest('a, button')) return;
                setCursor(index);
                if (row.isOpen !== undefined) onToggle(row.groupKey!);
                else if (row.row.transactionId) onOpen(row);
              }}
            >
              {shown.map((column, place) => (
                <ReportCell
                  key={column}
                  row={row}
                  column={columns[column]!}
                  text={row.cells[column] ?? ''}
                  isFirst={isListing ? columns[column]!.key === 'text' : place === 0}
                  path={pathOf(row, columns[column]!)}
                  onToggle={onToggle}
                />
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** `Jan 2026` for `January 2026`; other labels stay. */
const shortMonth = (label: string): string => label.replace(/^([A-Z][a-z]{2})[a-z]+ (\d{4})$/, '$1 $2');
