/** Preferences of this browser. They are not part of the URL, because a link must not change them. */
import { useSyncExternalStore } from 'react';

export interface Prefs {
  readonly theme: 'system' | 'light' | 'dark';
  readonly density: 'compact' | 'comfortable';
  /** Shortcuts without Ctrl or Alt (WCAG 2.1.4). */
  readonly singleKeys: boolean;
  /** Debit and Credit instead of From and To. */
  readonly accountingTerms: boolean;
  /** Collapsed groups of the account tree, by id. */
  readonly collapsed: readonly string[];
  /** Whether registers show a chart of the balance. */
  readonly balanceChart: boolean;
}

const KEY = 'daybook';
const DEFAULTS: Prefs = { theme: 'system', density: 'compact', singleKeys: true, accountingTerms: false, collapsed: [], balanceChart: false };

function load(): Prefs {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Prefs>) };
  } catch {
    return DEFAULTS;
  }
}

let current = typeof localStorage === 'undefined' ? DEFAULTS : load();
const listeners = new Set<() => void>();

export function prefs(): Prefs {
  return current;
}

export function setPrefs(changes: Partial<Prefs>): void {
  current = { ...current, ...changes };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // Private windows may refuse storage; the preference then lasts as long as the page.
  }
  applyPrefs();
  listeners.forEach((listener) => listener());
}

/** Sets the attributes that tokens.css reads. */
export function applyPrefs(): void {
  document.documentElement.dataset['theme'] = current.theme;
  document.documentElement.dataset['density'] = current.density;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePrefs(): Prefs {
  return useSyncExternalStore(subscribe, prefs);
}

const narrow = typeof matchMedia === 'undefined' ? undefined : matchMedia('(max-width: 760px)');

/** Whether the layout is that of a phone: one column, rows of two lines. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      narrow?.addEventListener('change', listener);
      return () => narrow?.removeEventListener('change', listener);
    },
    () => narrow?.matches ?? false,
  );
}

/** The height of a list row in pixels; the same as `--row` in tokens.css, two lines on a phone. */
export function useRowHeight(): number {
  const { density } = usePrefs();
  if (useNarrow()) return 54;
  return density === 'compact' ? 26 : 32;
}
