/** Scales of charts. */
import { toPlain, type Decimal } from '~/lib/money';

/** A figure for drawing; exact ones stand beside a chart. */
export const toNumber = (value: Decimal): number => Number(toPlain(value));

/** The range of the value axis with some air; bars need zero in it, and lines without movement a height. */
export function valueRange(min: number | null, max: number | null, hasBars: boolean): [number, number] {
  let low = min ?? 0;
  let high = max ?? 0;
  if (hasBars) {
    low = Math.min(0, low);
    high = Math.max(0, high);
  }
  if (low === high) return [Math.min(0, low), Math.max(high, low === 0 ? 1 : 0)];
  const air = (high - low) * 0.08;
  return [hasBars && low === 0 ? 0 : low - air, hasBars && high === 0 ? 0 : high + air];
}

/** Every how many points a label fits. */
export function labelStep(count: number, width: number, labelWidth: number): number {
  return Math.max(1, Math.ceil((count * labelWidth) / Math.max(width, 1)));
}

/** The points of a sparkline in a box, as an SVG path; '' with fewer than two values. */
export function sparkPath(values: readonly number[], width: number, height: number): string {
  if (values.length < 2) return '';
  const low = Math.min(...values);
  const span = Math.max(...values) - low;
  const step = width / (values.length - 1);
  return values
    .map((value, index) => {
      const y = span === 0 ? height / 2 : height - ((value - low) / span) * height;
      return `${index === 0 ? 'M' : 'L'}${(index * step).toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
}
