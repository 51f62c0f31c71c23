/** The text of a panel's form, kept until it is saved or discarded, also while another panel is open. */
import type { Transaction } from '~/api/types';
import { changeOf, fieldsOf, visible, type Change, type Fields } from './changes';

export interface PanelDraft {
  /** The version that the edit began with, and its ETag. */
  readonly base: Transaction;
  readonly etag: string | undefined;
  readonly fields: Fields;
  /** One a line. */
  readonly urls: string;
  readonly remoteIds: string;
  readonly properties: readonly (readonly [key: string, value: string])[];
}

export function draftOf(base: Transaction, etag: string | undefined): PanelDraft {
  return {
    base, etag,
    fields: fieldsOf(base),
    urls: (base.urls ?? []).join('\n'),
    remoteIds: (base.remoteIds ?? []).join('\n'),
    properties: Object.entries(visible(base.properties)),
  };
}

const linesOf = (text: string): string[] => text.split('\n').map((line) => line.trim()).filter(Boolean);

const isSameList = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((item, index) => item === right[index]);

export function changeOfDraft({ base, fields, urls, remoteIds, properties }: PanelDraft): Change {
  const old = visible(base.properties);
  const next = Object.fromEntries(properties.map(([key, value]) => [key.trim(), value.trim()]).filter(([key]) => key));
  const changed = Object.fromEntries(
    [...new Set([...Object.keys(old), ...Object.keys(next)])]
      .map((key) => [key, next[key] ?? ''] as const)
      .filter(([key, value]) => value !== (old[key] ?? '')),
  );
  return {
    ...changeOf(base, fields),
    ...(isSameList(linesOf(urls), base.urls ?? []) ? {} : { urls: linesOf(urls) }),
    ...(isSameList(linesOf(remoteIds), base.remoteIds ?? []) ? {} : { remoteIds: linesOf(remoteIds) }),
    ...(Object.keys(changed).length > 0 ? { properties: changed } : {}),
  };
}

const kept = new Map<string, PanelDraft>();
const listeners = new Set<() => void>();
let version = 0;

export const keptDrafts = {
  get: (bookId: string, id: string): PanelDraft | undefined => kept.get(`${bookId} ${id}`),
  set: (bookId: string, id: string, draft: PanelDraft | undefined): void => {
    if (draft) kept.set(`${bookId} ${id}`, draft);
    else kept.delete(`${bookId} ${id}`);
    version += 1;
    listeners.forEach((listener) => listener());
  },
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  version: (): number => version,
};
