/** Writes with a toast, an optimistic change and an undo step. */
import { useCallback, useRef, useState } from 'react';
import { bookChanged } from '~/api/cache';
import { newKey } from '~/api/client';
import { sentence } from '~/api/problem';
import { closeToast, showToast } from './toasts';

export interface ActionSpec<Input, Result> {
  /** What happened, in the past tense: `Checked 3 transactions`. */
  readonly done: (input: Input, result: Result) => string;
  /** Performs the write. `key` is the idempotency key of this action. */
  readonly run: (input: Input, key: string) => Promise<Result>;
  /** Performs the inverse. Without it the action cannot be undone. */
  readonly undo?: (input: Input, result: Result, key: string) => Promise<unknown>;
  /** Shows the expected state at once; returns a function that takes it back. */
  readonly optimistic?: (input: Input) => () => void;
  /**
   * Names the write by its whole request, for writes that create something. After a failure the same write again has
   * the same idempotency key, because the first one may have been executed without an answer.
   */
  readonly identity?: (input: Input) => string;
  /** The book that changes; its views are reloaded. */
  readonly bookId?: string;
  /** Whether the action leaves accounts and amounts as they are, so that they need not be loaded again. */
  readonly keepsFigures?: boolean;
  /** Hides the toast of success, for frequent actions whose effect is visible. The undo step remains. */
  readonly quiet?: boolean;
}

interface UndoStep {
  readonly label: string;
  readonly bookId: string | undefined;
  readonly keepsFigures: boolean;
  readonly undo: (key: string) => Promise<unknown>;
  readonly toast: number | undefined;
}

const steps: UndoStep[] = [];
/** The keys of failed writes, by their identity. After a while the same write is a new one. */
const failed = new Map<string, { readonly key: string; readonly at: number }>();
const SAME_WRITE_MS = 10 * 60_000;

function keyOf(identity: string | undefined): string {
  const last = identity === undefined ? undefined : failed.get(identity);
  return last && Date.now() - last.at < SAME_WRITE_MS ? last.key : newKey();
}

const running = new Set<Promise<unknown>>();

/** Undoes the last action since the page was opened that can be undone. */
export async function undoLast(): Promise<void> {
  // An action that is still running is the last one.
  await Promise.allSettled(running);
  const step = steps.pop();
  if (!step) {
    showToast('Nothing to undo');
    return;
  }
  if (step.toast !== undefined) closeToast(step.toast);
  let keepsFigures = false;
  try {
    await step.undo(newKey());
    keepsFigures = step.keepsFigures;
    showToast(`Undone: ${step.label}`);
  } catch (error) {
    steps.push(step);
    showToast(`${step.label} could not be undone. ${sentence(error)}`, { tone: 'error' });
  } finally {
    if (step.bookId) bookChanged(step.bookId, { keepsFigures });
  }
}

export interface Action<Input, Result> {
  /** Resolves to the result, or to undefined after a failure, which a toast has shown. */
  readonly run: (input: Input) => Promise<Result | undefined>;
  readonly isPending: boolean;
}

export function useAction<Input, Result>(spec: ActionSpec<Input, Result>): Action<Input, Result> {
  const latest = useRef(spec);
  latest.current = spec;
  const [pending, setPending] = useState(0);
  const run = useCallback(async (input: Input) => {
    setPending((count) => count + 1);
    try {
      return await perform(latest.current, input);
    } finally {
      setPending((count) => count - 1);
    }
  }, []);
  return { run, isPending: pending > 0 };
}

/** The same without a component. */
export function perform<Input, Result>(spec: ActionSpec<Input, Result>, input: Input): Promise<Result | undefined> {
  const action = execute(spec, input);
  running.add(action);
  void action.finally(() => running.delete(action));
  return action;
}

async function execute<Input, Result>(spec: ActionSpec<Input, Result>, input: Input): Promise<Result | undefined> {
  const revert = spec.optimistic?.(input);
  // After a refusal the book may be another one than the page shows.
  let keepsFigures = false;
  const identity = spec.identity?.(input);
  const key = keyOf(identity);
  try {
    const result = await spec.run(input, key);
    if (identity !== undefined) failed.delete(identity);
    keepsFigures = spec.keepsFigures ?? false;
    const label = spec.done(input, result);
    const { undo } = spec;
    const toast = spec.quiet
      ? undefined
      : showToast(label, undo ? { action: { label: 'Undo', run: () => void undoStep(step) } } : {});
    const step: UndoStep = { label, bookId: spec.bookId, keepsFigures, toast, undo: (undoKey) => undo!(input, result, undoKey) };
    if (undo) steps.push(step);
    return result;
  } catch (error) {
    if (identity !== undefined) failed.set(identity, { key, at: Date.now() });
    revert?.();
    showToast(sentence(error), { tone: 'error' });
    return undefined;
  } finally {
    if (spec.bookId) bookChanged(spec.bookId, { keepsFigures });
  }
}

async function undoStep(step: UndoStep): Promise<void> {
  const index = steps.indexOf(step);
  if (index < 0) return;
  steps.splice(index, 1);
  steps.push(step);
  await undoLast();
}
