/** The rows of a report as a tree: which rows belong to a group, and which are visible when some are closed. */
import type { components } from '~/api/schema';

export type Report = components['schemas']['Report'];
export type ReportRow = components['schemas']['ReportRow'];
export type ReportColumn = components['schemas']['ReportColumn'];

export interface TreeRow {
  readonly row: ReportRow;
  /** Of a group: what `closed` names it by. */
  readonly groupKey: string | undefined;
  /** Of a group: the index of the row that ends it, with its figures. */
  readonly end: number;
  /** The section around the row, such as `Assets`; '' outside of sections. */
  readonly section: string;
}

export interface VisibleRow extends TreeRow {
  /** A closed group shows the figures of its subtotal. */
  readonly cells: readonly string[];
  readonly isOpen: boolean | undefined;
}

export function buildTree(rows: readonly ReportRow[]): TreeRow[] {
  const tree: { row: ReportRow; groupKey: string | undefined; end: number; section: string }[] = [];
  const open: number[] = [];
  let section = '';
  for (const [index, row] of rows.entries()) {
    if (row.kind === 'section') section = row.cells[0] ?? '';
    const key = row.kind === 'group' ? (row.groupId ?? row.accountId) : undefined;
    tree.push({ row, groupKey: key, end: -1, section });
    if (key) {
      // Accounts of the ledger do not nest: the next one ends the account before.
      if (row.accountId) open.length = 0;
      open.push(index);
      continue;
    }
    const last = open.at(-1);
    const group = last === undefined ? undefined : rows[last];
    if (last === undefined || !group) continue;
    if (group.accountId) {
      if (row.kind === 'balance' && row.accountId === group.accountId) tree[last]!.end = index;
    } else if (row.kind === 'subtotal' && row.groupId === group.groupId && row.depth === group.depth) {
      tree[last]!.end = index;
      open.pop();
    }
  }
  return tree;
}

export function visibleRows(tree: readonly TreeRow[], closed: ReadonlySet<string>): VisibleRow[] {
  const visible: VisibleRow[] = [];
  for (let index = 0; index < tree.length; index += 1) {
    const item = tree[index]!;
    const isClosed = item.groupKey !== undefined && item.end > index && closed.has(item.groupKey);
    const figures = isClosed ? tree[item.end]!.row.cells : item.row.cells;
    visible.push({
      ...item,
      // The names stay those of the group; its subtotal adds the figures.
      cells: isClosed ? figures.map((cell, column) => item.row.cells[column] || cell) : figures,
      isOpen: item.groupKey === undefined || item.end <= index ? undefined : !isClosed,
    });
    if (isClosed) index = item.end;
  }
  return visible;
}

/** Columns that the console leaves out: ids and event numbers stand in details only. */
const HIDDEN = new Set(['id', 'event', 'files']);

export function shownColumns(columns: readonly ReportColumn[]): number[] {
  return columns.flatMap((column, index) => (HIDDEN.has(column.key) ? [] : [index]));
}

export interface ColumnSpan {
  readonly label: string;
  readonly span: number;
}

/** The upper line of the heading, or undefined when no column has one. */
export function headSpans(columns: readonly ReportColumn[]): ColumnSpan[] | undefined {
  if (!columns.some((column) => column.over)) return undefined;
  const spans: { label: string; span: number }[] = [];
  for (const { over = '' } of columns) {
    const last = spans.at(-1);
    if (last && over && last.label === over) last.span += 1;
    else spans.push({ label: over, span: 1 });
  }
  return spans;
}
