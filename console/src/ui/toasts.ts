/** Short messages at the lower edge. Errors stay until they are closed. */
import { useSyncExternalStore } from 'react';

export interface Toast {
  readonly id: number;
  readonly message: string;
  readonly tone: 'info' | 'error';
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();
const DURATION_MS = 8000;
const MAX_SHOWN = 3;

function set(next: readonly Toast[]): void {
  toasts = next;
  listeners.forEach((listener) => listener());
}

export function showToast(message: string, options: Partial<Pick<Toast, 'tone' | 'action'>> = {}): number {
  const toast: Toast = { id: (lastId += 1), message, tone: 'info', ...options };
  set([...toasts, toast].slice(-MAX_SHOWN));
  if (toast.tone === 'info') setTimeout(() => closeToast(toast.id), DURATION_MS);
  return toast.id;
}

export function closeToast(id: number): void {
  if (toasts.some((toast) => toast.id === id)) set(toasts.filter((toast) => toast.id !== id));
}

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
}
