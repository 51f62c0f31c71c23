/** What the current view tells the header: its title, the number of results and warnings of the query. */
import { useEffect, useSyncExternalStore } from 'react';

export interface HeaderInfo {
  readonly title?: string | undefined;
  /** `1,234 transactions` */
  readonly result?: string | undefined;
  readonly warnings?: readonly string[] | undefined;
}

const NONE: HeaderInfo = {};
let current: HeaderInfo = NONE;
const listeners = new Set<() => void>();

function set(info: HeaderInfo): void {
  current = info;
  listeners.forEach((listener) => listener());
}

/** Shows this in the header, and the title in the browser's tab, while the view is mounted. */
export function useHeaderInfo({ title, result, warnings }: HeaderInfo): void {
  const warningKey = warnings?.join('\n') ?? '';
  useEffect(() => {
    set({ title, result, warnings: warningKey ? warningKey.split('\n') : [] });
    document.title = title ? `${title} · Daybook` : 'Daybook';
    return () => set(NONE);
  }, [title, result, warningKey]);
}

export function useCurrentHeaderInfo(): HeaderInfo {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
