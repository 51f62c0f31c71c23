/** Decisions that are not confirmed yet. They survive a reload, and leave with the confirmation. */
import { useSyncExternalStore } from 'react';
import { hasDecisions, NO_DECISIONS, type Decisions } from './decisions';

const keyOf = (importId: string) => `daybook.import.${importId}`;
const cache = new Map<string, Decisions>();
const listeners = new Set<() => void>();

function load(importId: string): Decisions {
  try {
    const stored = JSON.parse(localStorage.getItem(keyOf(importId)) ?? 'null') as Partial<Decisions> | null;
    return { ...NO_DECISIONS, ...stored };
  } catch {
    return NO_DECISIONS;
  }
}

export function readDecisions(importId: string): Decisions {
  const known = cache.get(importId) ?? load(importId);
  cache.set(importId, known);
  return known;
}

export function writeDecisions(importId: string, decisions: Decisions): void {
  cache.set(importId, decisions);
  try {
    if (hasDecisions(decisions)) localStorage.setItem(keyOf(importId), JSON.stringify(decisions));
    else localStorage.removeItem(keyOf(importId));
  } catch {
    // Without storage the decisions last as long as the page.
  }
  listeners.forEach((listener) => listener());
}

export function useDecisions(importId: string): Decisions {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => readDecisions(importId),
  );
}
