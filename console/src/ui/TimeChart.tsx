import { useEffect, useRef } from 'react';
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

/**
 * A chart over time. uPlot is loaded when the first chart is shown. The chart is an image for screen
 * readers: `label` says what it shows, and the figures stand in a table beside it.
 */
export function TimeChart({ label, days, series, height = 180 }: {
  readonly label: string;
  /** `yyyy-MM-dd` */
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly height?: number;
}) {
  const box = useRef<HTMLDivElement>(null);
  const { theme } = usePrefs();
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    let isGone = false;
    let destroy = () => {};
    void import('uplot').then(({ default: UPlot }) => {
      if (isGone) return;
      const colour = (token: string) => resolveColour(element, token);
      const axis = { stroke: colour('--text-muted'), grid: { stroke: colour('--rule'), width: 1 }, ticks: { show: false }, font: '11px system-ui' };
      const plot = new UPlot(
        {
          width: element.clientWidth,
          height,
          legend: { show: false },
          cursor: { show: false },
          scales: { x: { time: true } },
          axes: [axis, { ...axis, size: 64 }],
          series: [{}, ...series.map((line) => ({
            label: line.label,
            stroke: colour(line.colour),
            width: 1.5,
            points: { show: false },
            ...(line.isBar ? { fill: colour(line.colour), paths: UPlot.paths.bars!({ size: [0.6, 40] }) } : {}),
          }))],
        },
        [days.map((day) => Date.parse(`${day}T12:00Z`) / 1000), ...series.map((line) => [...line.values])],
        element,
      );
      const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
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
  }, [days, series, height, theme]);
  return <div ref={box} className="chart" role="img" aria-label={label} />;
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
