/** Short names of the schemas of imports, and what outcomes and states are called. */
import type { components } from '~/api/schema';

type Schemas = components['schemas'];

export type Import = Schemas['Import'];
export type ImportRecord = Schemas['ImportRecord'];
export type ImportStatement = Schemas['ImportStatement'];
export type ImportConfirmation = Schemas['ImportConfirmation'];
export type ImportAccount = Schemas['ImportAccount'];
export type Outcome = ImportRecord['outcome'];
export type State = Import['state'];

export const OUTCOMES = ['NEW', 'EXISTING', 'MATCHED', 'SKIPPED', 'REFUSED'] as const satisfies readonly Outcome[];

export const OUTCOME_NAMES: Record<Outcome, string> = {
  NEW: 'New',
  EXISTING: 'Already here',
  MATCHED: 'Matched',
  SKIPPED: 'Skipped',
  REFUSED: 'Refused',
};

export const STATE_NAMES: Record<State, string> = {
  READING: 'Reading',
  PREVIEW: 'Not recorded yet',
  RECORDING: 'Recording',
  DONE: 'Recorded',
  UNDOING: 'Undoing',
  UNDONE: 'Undone',
  FAILED: 'Cannot be read',
};

/** Whether the server could not go on with recording or undoing, so that what it recorded can be undone. */
export function isInterrupted({ state, expiresAt }: Import): boolean {
  return state === 'FAILED' && expiresAt === undefined;
}

/** Whether the server is at work, so that the import is read again. */
export function isBusy(state: State): boolean {
  return state === 'READING' || state === 'RECORDING' || state === 'UNDOING';
}

/** Whether a text is an outcome, as in `?outcome=NEW`. */
export function readOutcome(text: string): Outcome | undefined {
  return OUTCOMES.find((outcome) => outcome === text.toUpperCase());
}
