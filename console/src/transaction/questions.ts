/** Questions that an action asks before it goes on. One at a time; `Questions` shows it as a dialog. */
import { useSyncExternalStore, type ReactNode } from 'react';

interface Question {
  readonly render: () => ReactNode;
  readonly cancel: () => void;
}

let current: Question | undefined;
const listeners = new Set<() => void>();

function set(question: Question | undefined): void {
  current = question;
  listeners.forEach((listener) => listener());
}

/** Shows a dialog and resolves to its answer, or to undefined when it was dismissed. */
export function ask<Answer>(render: (answer: (value: Answer | undefined) => void) => ReactNode): Promise<Answer | undefined> {
  current?.cancel();
  return new Promise((resolve) => {
    const answer = (value: Answer | undefined) => {
      if (current === question) set(undefined);
      resolve(value);
    };
    const question: Question = { render: () => render(answer), cancel: () => answer(undefined) };
    set(question);
  });
}

export function useQuestion(): Question | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
