/**
 * A small router over the History API. All state of a view is in its URL: the path names the view, the
 * query string has its filters. Paths are relative to `<base href>`, so the console works below a prefix.
 */
import { useCallback, useMemo, useSyncExternalStore } from 'react';

export const BASE = typeof document === 'undefined' ? '/' : new URL(document.baseURI).pathname.replace(/[^/]*$/, '');

const listeners = new Set<() => void>();
const notify = () => listeners.forEach((listener) => listener());

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener('popstate', notify);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener('popstate', notify);
  };
}

/** The path inside the console, beginning with a slash. */
export function currentPath(): string {
  const { pathname } = window.location;
  return pathname.startsWith(BASE) ? `/${pathname.slice(BASE.length)}` : pathname;
}

export function usePath(): string {
  return useSyncExternalStore(subscribe, currentPath);
}

export function useSearch(): string {
  return useSyncExternalStore(subscribe, () => window.location.search);
}

/** The address for an `href`, of a path such as `/b/1/transactions?q=lunch`. */
export function href(path: string): string {
  return BASE + path.replace(/^\//, '');
}

export interface NavigateOptions {
  /** Replaces the entry of the history instead of adding one. */
  readonly replace?: boolean;
}

export function navigate(path: string, { replace = false }: NavigateOptions = {}): void {
  const target = href(path);
  if (target === window.location.pathname + window.location.search) return;
  window.history[replace ? 'replaceState' : 'pushState'](null, '', target);
  notify();
}

/** Parameters of a path pattern such as `/b/:bookId/accounts/:accountId`, or undefined. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.replace(/(.)\/$/, '$1').split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index]!;
    if (part.startsWith(':') && value) params[part.slice(1)] = safeDecode(value);
    else if (part !== value) return undefined;
  }
  return params;
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The current path and query string with some parameters changed; null or '' removes one. */
export function withParams(changes: Readonly<Record<string, string | null | undefined>>): string {
  const params = new URLSearchParams(window.location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined || value === '') params.delete(name);
    else params.set(name, value);
  }
  const text = params.toString().replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%24', '$');
  return currentPath() + (text ? `?${text}` : '');
}

export type SetQueryState = (value: string | null, options?: NavigateOptions) => void;

/**
 * State in the query string. Reads '' when the parameter is absent. Setting adds an entry to the history
 * unless `replace` is given.
 */
export function useQueryState(name: string): [string, SetQueryState] {
  const search = useSearch();
  const value = useMemo(() => new URLSearchParams(search).get(name) ?? '', [search, name]);
  const set = useCallback<SetQueryState>((next, options) => navigate(withParams({ [name]: next }), options), [name]);
  return [value, set];
}
