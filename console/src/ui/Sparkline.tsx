import { sparkPath } from './chartScale';

/** A small line beside the figures that it draws. Screen readers skip it. */
export function Sparkline({ values, width = 96, height = 24 }: { readonly values: readonly number[]; readonly width?: number; readonly height?: number }) {
  return (
    <svg width={width} height={height} viewBox={`-1 -2 ${width + 2} ${height + 4}`} aria-hidden="true" className="sparkline">
      <path d={sparkPath(values, width, height)} fill="none" stroke="var(--accent)" strokeWidth="1.5" strokeLinejoin="round" />
    </svg>
  );
}
