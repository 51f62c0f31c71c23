import { useEffect, useRef, useSyncExternalStore } from 'react';
import type UPlotType from 'uplot';
import { useOptionalBook } from '~/book/types';
import { formatDay, type DatePattern } from '~/lib/dates';
import { formatMoney, type NumberStyle } from '~/lib/money';
import { labelStep, valueRange } from './chartScale';
import { usePrefs } from './prefs';
import './TimeChart.css';

export interface Series {
  readonly label: string;
  /** For drawing only; figures beside a chart come from exact amounts. */
  readonly values: readonly (number | null)[];
  /** A token of styles/tokens.css, such as `--accent`. */
  readonly colour: string;
  readonly isBar?: boolean;
}

const LABEL_WIDTH = 84;
const PLAIN: NumberStyle = { decimalSeparator: 'DOT', fractionDigits: 0 };

/**
 * A chart over time. uPlot is loaded when the first chart is shown. Bars start at zero; several bar series
 * stand side by side. The chart is an image for screen readers: `label` says what it shows, and the figures
 * stand in a table beside it.
 */
export function TimeChart({ label, days, series, height = 180, dayLabel }: {
  readonly label: string;
  /** `yyyy-MM-dd` */
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly height?: number;
  /** The label of a day on the axis; the pattern of the book by default. */
  readonly dayLabel?: (day: string) => string;
}) {
  const box = useRef<HTMLDivElement>(null);
  const { theme, density } = usePrefs();
  const isDark = useDarkSystem();
  const book = useOptionalBook();
  const pattern = book?.pattern;
  const separator = book?.numbers.decimalSeparator;
  const latestLabel = useRef(dayLabel);
  latestLabel.current = dayLabel;
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    let isGone = false;
    let destroy = () => {};
    void import('uplot').then(({ default: UPlot }) => {
      if (isGone) return;
      const numbers = separator ? { decimalSeparator: separator, fractionDigits: 0 } : PLAIN;
      const toLabel = (day: string) => latestLabel.current?.(day) ?? formatDay(day, pattern ?? ('yyyy/MM/dd' as DatePattern));
      const size = () => ({ width: element.clientWidth, height });
      const data: UPlotType.AlignedData = [days.map(toSeconds), ...series.map((line) => [...line.values])];
      const plot = new UPlot({ ...size(), ...chartOptions(UPlot, element, days, series, toLabel, numbers) }, data, element);
      const observer = new ResizeObserver(() => plot.setSize(size()));
      observer.observe(element);
      destroy = () => {
        observer.disconnect();
        plot.destroy();
      };
    });
    return () => {
      isGone = true;
      destroy();
    };
  }, [days, series, height, theme, density, isDark, pattern, separator]);
  return <div ref={box} className="chart" role="img" aria-label={label} style={{ height }} />;
}

const toSeconds = (day: string): number => Date.parse(`${day}T12:00Z`) / 1000;

function chartOptions(
  UPlot: typeof UPlotType,
  element: HTMLElement,
  days: readonly string[],
  series: readonly Series[],
  toLabel: (day: string) => string,
  numbers: NumberStyle,
): Omit<UPlotType.Options, 'width' | 'height'> {
  const colour = (token: string) => resolveColour(element, token);
  const axis = { stroke: colour('--text-muted'), grid: { stroke: colour('--rule'), width: 1 }, ticks: { show: false }, font: `11px ${getComputedStyle(element).fontFamily}` };
  const bars = series.filter(({ isBar }) => isBar);
  const hasBars = bars.length > 0;
  const gap = days.length > 1 ? (toSeconds(days.at(-1)!) - toSeconds(days[0]!)) / (days.length - 1) : 86_400;
  const padding = hasBars ? gap / 2 : 0;
  const formatValue = (value: number) => formatMoney({ units: BigInt(Math.round(value)), scale: 0 }, numbers);
  return {
    legend: { show: false },
    cursor: { show: false },
    // Room for half a label at the right edge.
    padding: [8, hasBars ? 8 : LABEL_WIDTH / 2 - 8, 0, 0],
    scales: {
      x: { time: false, range: (_plot, min, max) => [min - padding, max + padding] },
      y: { range: (_plot, min, max) => valueRange(min, max, hasBars) },
    },
    axes: [
      {
        ...axis,
        size: 24,
        gap: 4,
        grid: { show: false },
        splits: (plot) => {
          const step = labelStep(days.length, plot.width - 64, LABEL_WIDTH);
          return days.filter((_day, index) => (days.length - 1 - index) % step === 0).map(toSeconds);
        },
        values: (_plot, splits) => splits.map((split) => toLabel(new Date(split * 1000).toISOString().slice(0, 10))),
      },
      { ...axis, size: 64, values: (_plot, splits) => splits.map(formatValue) },
    ],
    series: [{}, ...series.map((line): UPlotType.Series => ({
      label: line.label,
      stroke: colour(line.colour),
      width: line.isBar ? 0 : 1.75,
      points: { show: !line.isBar && days.length === 1 },
      ...(line.isBar ? { fill: colour(line.colour), fillTo: 0, paths: UPlot.paths.bars!(barStyle(bars.indexOf(line), bars.length)) } : {}),
    }))],
  };
}

/** One bar stands on its day; of two, the first ends there and the second begins there. */
function barStyle(index: number, count: number): UPlotType.Series.BarsPathBuilderOpts {
  if (count === 1) return { size: [0.6, 40] };
  return { size: [0.3, 24], align: index === 0 ? -1 : 1 };
}

/** The colour that a token has in the current theme; the canvas does not know custom properties. */
function resolveColour(element: HTMLElement, token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Whether the system is dark, so that charts are drawn again when it changes. */
function useDarkSystem(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = matchMedia('(prefers-color-scheme: dark)');
      query.addEventListener('change', listener);
      return () => query.removeEventListener('change', listener);
    },
    () => matchMedia('(prefers-color-scheme: dark)').matches,
  );
}
