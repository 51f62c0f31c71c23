/** Line icons on a grid of 16 pixels. They are decoration; the control around them has the name. */
const PATHS = {
  book: 'M3.5 3.2v9.6M3.5 3.2h8a1 1 0 0 1 1 1v8.6h-9M6 6h4M6 8.5h3',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.6 4h.1M2.6 8h.1M2.6 12h.1',
  draft: 'M4 2.5h5.5L12.5 5.5v8h-8.5zM9.5 2.5v3h3M6 8.5h4M6 11h2.5',
  accounts: 'M3 3.5h4M5 3.5v9M5 8h5M5 12.5h5M12.5 8h.1M12.5 12.5h.1',
  report: 'M2.5 13.5h11M4.5 13.5v-4M8 13.5v-10M11.5 13.5v-7',
  budget: 'M2.5 3.5h11v9h-11zM2.5 6.5h11M6.5 6.5v6',
  reconcile: 'M2.5 8.5l3 3 5-6.5M10 11.5l.5.5 4-5.5',
  people: 'M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6zM1.8 13c.3-2.4 2-3.7 4.2-3.7s3.9 1.3 4.2 3.7M10.3 3.2a2.2 2.2 0 0 1 0 4.2M11.6 9.5c1.5.4 2.4 1.6 2.6 3.5',
  apps: 'M3 3h4v4H3zM9 3h4v4H9zM3 9h4v4H3zM9 9h4v4H9z',
  history: 'M8 4.5V8l2.5 1.5M2.7 8a5.3 5.3 0 1 0 1.6-3.8L2.7 5.7M2.7 2.7v3h3',
  settings: 'M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M10 6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM6 13a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2',
  pin: 'M6 2.5h4l-.5 4 2 2.5h-7l2-2.5zM8 9v4.5',
  left: 'M9.8 3.5L5.5 8l4.3 4.5',
  right: 'M6.2 3.5L10.5 8l-4.3 4.5',
  down: 'M3.5 6L8 10.3 12.5 6',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.5l3.2 3.2L13 4.5',
  import: 'M8 2.5v7M4.8 6.6L8 9.8l3.2-3.2M2.5 10v3.5h11V10',
  plus: 'M8 3v10M3 8h10',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  file: 'M11.5 7.5l-4 4a2.4 2.4 0 0 1-3.4-3.4l4.6-4.6a1.6 1.6 0 0 1 2.3 2.3L6.5 10.3',
  home: 'M2.5 7.5L8 3l5.5 4.5M4 6.5v6.5h8V6.5M6.8 13V9.5h2.4V13',
  person: 'M8 8a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 8 8zM3 13.5c.4-2.6 2.4-4 5-4s4.6 1.4 5 4',
  warning: 'M8 2.8L14 13H2zM8 6.5v3M8 11.3h.1',
  arrow: 'M3 8h10M9.5 4.5L13 8l-3.5 3.5',
  comment: 'M2.5 3.5h11v7.5h-6L4.5 13.5V11h-2z',
  trash: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5M6.8 7v3.5M9.2 7v3.5',
  grip: 'M6 4h.1M6 8h.1M6 12h.1M10 4h.1M10 8h.1M10 12h.1',
  lock: 'M4 7.5h8v5.5H4zM5.5 7.5V5.5a2.5 2.5 0 0 1 5 0v2',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
