/**
 * The browser session: a cookie limited to `/auth`, exchanged for access tokens that live in memory
 * (docs/api/authentication.md 11.4 and 11.14).
 */
import { Problem } from './problem';

export const ORIGIN_BASE = typeof document === 'undefined' ? 'http://localhost/' : new URL('.', document.baseURI).href;

export type SessionState = 'unknown' | 'signed-in' | 'signed-out';

/** What the caller may do besides books. For showing choices only: the server decides. */
export interface SessionRights {
  readonly administrator: boolean;
  /** The server sends sign-in links by mail, so nobody hands them over. */
  readonly mailsLinks: boolean;
}

let token: string | undefined;
let rights: SessionRights = { administrator: false, mailsLinks: false };
let state: SessionState = 'unknown';
let refreshing: Promise<string | undefined> | undefined;
const listeners = new Set<() => void>();

export function sessionState(): SessionState {
  return state;
}

/** As of the last refresh; complete once the page has loaded anything. */
export function sessionRights(): SessionRights {
  return rights;
}

export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setState(next: SessionState): void {
  if (state === next) return;
  state = next;
  listeners.forEach((listener) => listener());
}

/** The current access token; refreshes when there is none. Undefined when signed out. */
export async function accessToken(): Promise<string | undefined> {
  return token ?? refresh();
}

/** Drops the token that the server refused, unless another one has replaced it already. */
export function discard(refused: string): void {
  if (token === refused) token = undefined;
}

/** Exchanges the cookie for a token. Concurrent callers share one request. */
export function refresh(): Promise<string | undefined> {
  refreshing ??= requestToken().finally(() => {
    refreshing = undefined;
  });
  return refreshing;
}

async function requestToken(): Promise<string | undefined> {
  let response: Response;
  try {
    response = await fetch(`${ORIGIN_BASE}auth/refresh`, { method: 'POST', credentials: 'same-origin' });
  } catch {
    throw new Problem(0, 'network', 'The server cannot be reached.');
  }
  if (response.ok) {
    const answer = (await response.json()) as { accessToken: string; administrator?: boolean; mailsLinks?: boolean };
    token = answer.accessToken;
    rights = { administrator: answer.administrator ?? false, mailsLinks: answer.mailsLinks ?? false };
    setState('signed-in');
    return token;
  }
  if (response.status !== 401 && response.status !== 403) {
    throw new Problem(response.status, 'backendError', 'The server cannot sign you in at the moment.');
  }
  token = undefined;
  setState('signed-out');
  return undefined;
}

/** The page that signs in and returns to the current view. */
export function signInUrl(): string {
  return `${ORIGIN_BASE}auth/login?returnUrl=${encodeURIComponent(window.location.href)}`;
}

export function signOutUrl(): string {
  return `${ORIGIN_BASE}auth/logout?returnUrl=${encodeURIComponent(ORIGIN_BASE)}`;
}
