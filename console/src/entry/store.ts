/**
 * Typed text that is not yet recorded, for each book, in the storage of the tab. It survives navigation,
 * reload and a lost connection.
 */
import { useCallback, useState } from 'react';
import { EMPTY_LEG, type Leg } from './split';
import type { Repeat } from './series';
import type { Half, TransferState } from './transfer';

export interface PropertyRow {
  readonly key: string;
  readonly value: string;
}

/** The fields of the form. Amounts are plain decimals, accounts are ids; '' is empty. */
export interface FormState {
  readonly date: string;
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly description: string;
  readonly tags: string;
  readonly properties: readonly PropertyRow[];
  /** The side that has several legs. */
  readonly split: 'from' | 'to' | undefined;
  readonly legs: readonly Leg[];
  readonly repeat: Repeat | undefined;
}

/** One half of a transfer: account ids, and a plain decimal or ''. */
export interface TransferSides {
  readonly from: string;
  readonly to: string;
  readonly amount: string;
}

/** A transfer of which a half has no answer. Only exactly this one may be sent again. */
export interface UnfinishedTransfer {
  readonly halves: readonly [Half, Half];
  readonly state: TransferState;
}

export interface TransferDraft {
  readonly date: string;
  readonly description: string;
  /** Id of the other book, or ''. */
  readonly otherId: string;
  readonly here: TransferSides;
  readonly there: TransferSides;
  readonly unfinished: UnfinishedTransfer | undefined;
}

export interface EntryDraft {
  readonly line: string;
  /** Lines that the server refused or did not get. */
  readonly unsaved: readonly string[];
  readonly form: FormState | undefined;
  readonly transfer: TransferDraft | undefined;
}

export const NO_SIDES: TransferSides = { from: '', to: '', amount: '' };

export function emptyTransfer(date: string): TransferDraft {
  return { date, description: '', otherId: '', here: NO_SIDES, there: NO_SIDES, unfinished: undefined };
}

export function emptyForm(date: string): FormState {
  return {
    date, from: '', to: '', amount: '', description: '', tags: '', properties: [], split: undefined,
    legs: [EMPTY_LEG, EMPTY_LEG], repeat: undefined,
  };
}

const EMPTY: EntryDraft = { line: '', unsaved: [], form: undefined, transfer: undefined };
const storageKey = (bookId: string) => `daybook.entry.${bookId}`;
const memory = new Map<string, EntryDraft>();

export function loadDraft(bookId: string): EntryDraft {
  const known = memory.get(bookId);
  if (known) return known;
  try {
    return { ...EMPTY, ...(JSON.parse(sessionStorage.getItem(storageKey(bookId)) ?? '{}') as Partial<EntryDraft>) };
  } catch {
    return EMPTY;
  }
}

export function saveDraft(bookId: string, changes: Partial<EntryDraft>): EntryDraft {
  const next = { ...loadDraft(bookId), ...changes };
  memory.set(bookId, next);
  try {
    sessionStorage.setItem(storageKey(bookId), JSON.stringify(next));
  } catch {
    // Without storage the text lasts as long as the page.
  }
  return next;
}

export type ChangeDraft = (change: (draft: EntryDraft) => Partial<EntryDraft>) => void;

export function useEntryDraft(bookId: string): [EntryDraft, ChangeDraft] {
  const [draft, setDraft] = useState(() => loadDraft(bookId));
  const change = useCallback<ChangeDraft>((compute) => setDraft(saveDraft(bookId, compute(loadDraft(bookId)))), [bookId]);
  return [draft, change];
}
