/** Rows beyond both edges that exist in the document, so that a scroll does not show a gap. */
const OVERSCAN = 8;
/** The window moves in steps of so many rows. */
const STEP = 4;

export interface RowWindow {
  readonly first: number;
  /** The row after the last one. */
  readonly end: number;
}

export function rowWindow(scrollTop: number, height: number, rowHeight: number, count: number): RowWindow {
  const from = Math.floor(scrollTop / rowHeight) - OVERSCAN;
  const to = Math.ceil((scrollTop + height) / rowHeight) + OVERSCAN;
  const first = Math.max(0, Math.floor(from / STEP) * STEP);
  return { first: Math.min(first, count), end: Math.min(count, Math.ceil(to / STEP) * STEP) };
}

/** The most rows that a window of this height has. */
export function slotsOf(height: number, rowHeight: number): number {
  return Math.ceil(height / rowHeight) + 1 + 2 * OVERSCAN + 2 * STEP;
}
