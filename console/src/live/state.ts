/** The state of the event stream. Small, because the header shows it on every page of a book. */
import { useSyncExternalStore } from 'react';

/**
 * `off`: no stream, because the server has none or the person may not read events. `waiting`: the
 * connection was lost, and the next attempt is at `retryAt`.
 */
export type LiveStatus = 'off' | 'connecting' | 'live' | 'waiting';

export interface LiveState {
  readonly status: LiveStatus;
  readonly retryAt?: number;
}

let state: LiveState = { status: 'off' };
const listeners = new Set<() => void>();

export function setLiveState(next: LiveState): void {
  if (state.status === next.status && state.retryAt === next.retryAt) return;
  state = next;
  listeners.forEach((listener) => listener());
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}
