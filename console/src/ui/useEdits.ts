/** Edits of a form over values that others may change meanwhile. */
import { useMemo, useState } from 'react';

interface Edit<Value> {
  /** The saved value when the edit began. */
  readonly from: Value;
  readonly to: Value;
}

export type EditMap<T> = { readonly [K in keyof T]?: Edit<T[K]> };

export interface Merged<T> {
  /** What the form shows: the edit, else the saved value. */
  readonly values: T;
  /** Fields whose edit differs from what is saved. */
  readonly changed: readonly (keyof T)[];
  /** Changed fields that someone else has changed since the edit began. */
  readonly conflicts: readonly (keyof T)[];
}

export function mergeEdits<T extends object>(saved: T, edits: EditMap<T>): Merged<T> {
  const values = { ...saved };
  const changed: (keyof T)[] = [];
  const conflicts: (keyof T)[] = [];
  for (const key of Object.keys(edits) as (keyof T)[]) {
    const edit = edits[key];
    if (!edit || edit.to === saved[key]) continue;
    values[key] = edit.to;
    changed.push(key);
    if (edit.from !== saved[key]) conflicts.push(key);
  }
  return { values, changed, conflicts };
}

export interface Edits<T> extends Merged<T> {
  readonly set: <K extends keyof T>(key: K, value: T[K]) => void;
  readonly reset: () => void;
}

/** Keeps what a person typed while `saved` is reloaded; fields without an edit follow `saved`. */
export function useEdits<T extends object>(saved: T): Edits<T> {
  const [edits, setEdits] = useState<EditMap<T>>({});
  const merged = useMemo(() => mergeEdits(saved, edits), [saved, edits]);
  return {
    ...merged,
    set: (key, value) => setEdits((old) => ({ ...old, [key]: { from: old[key]?.from ?? saved[key], to: value } })),
    reset: () => setEdits({}),
  };
}
