/** Writes on imports. A confirmation can be undone like every other action: its undo is that of the run. */
import { queryClient } from '~/api/cache';
import { api, newKey, send } from '~/api/client';
import { isProblem, Problem } from '~/api/problem';
import { ORIGIN_BASE } from '~/api/session';
import type { Account } from '~/api/types';
import { useBook } from '~/book/types';
import { toBase64 } from '~/file/types';
import { formatCount } from '~/lib/money';
import { perform, useAction } from '~/ui/actions';
import { NO_DECISIONS, type Decisions } from './decisions';
import { readDecisions, writeDecisions } from './decisionStore';
import { importKey, importsKey, whenDone, type StoredFile } from './queries';
import { RULES_PROPERTY } from './rules';
import { keepSource, type Source } from './sourceFiles';
import type { Import, ImportConfirmation } from './types';

export const MAX_UPLOAD = 64 * 1024 * 1024;

/** Whether a file is a ZIP, which may be an export of Daybook of any size. */
async function isArchive(file: File): Promise<boolean> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return first === 0x50 && second === 0x4b;
}

/** Sends a file for a preview. The body is the file itself, which the typed client cannot send. */
async function readFile(bookId: string, { file, options }: Source, idempotencyKey: string): Promise<Import> {
  if (file.size > MAX_UPLOAD && !(await isArchive(file))) throw new Problem(413, 'requestTooLarge', `${file.name} has more than 64 MB. Split it, and import the parts one after the other.`);
  const search = new URLSearchParams({ name: file.name.slice(0, 255) });
  for (const [name, value] of Object.entries(options)) if (value) search.set(name, String(value));
  const started = await send(`${ORIGIN_BASE}v5/books/${encodeURIComponent(bookId)}/imports?${search}`, {
    method: 'POST',
    headers: { Accept: 'application/json', 'Content-Type': 'application/octet-stream', 'Idempotency-Key': idempotencyKey },
    body: file,
  }, async (response) => (await response.json()) as Import);
  keepSource(started.id, { file, options });
  return started;
}

const discard = (bookId: string, id: string, idempotencyKey: string) =>
  api.delete('/v5/books/{bookId}/imports/{id}', { path: { bookId, id }, idempotencyKey });

/** Reads a file. One that was read before with other options is discarded. */
export function useReadFile() {
  const { id: bookId } = useBook();
  return useAction({
    quiet: true,
    done: ({ source }: { source: Source; replaces?: Import }) => `Read ${source.file.name}`,
    run: async ({ source, replaces }, key): Promise<Import> => {
      const started = await readFile(bookId, source, key);
      queryClient.setQueryData(importKey(bookId, started.id), started);
      if (replaces) {
        await discard(bookId, replaces.id, newKey()).catch(() => undefined);
        writeDecisions(replaces.id, NO_DECISIONS);
      }
      void queryClient.invalidateQueries({ queryKey: [...importsKey(bookId), ' all'] });
      return started;
    },
  });
}

export function useDiscard() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: ({ name }: Import) => `Discarded the preview${name ? ` of ${name}` : ''}`,
    run: async ({ id }, key) => {
      await discard(bookId, id, key);
      writeDecisions(id, NO_DECISIONS);
      queryClient.removeQueries({ queryKey: importKey(bookId, id), exact: true });
    },
  });
}

async function undoRun(bookId: string, id: string, idempotencyKey: string): Promise<Import> {
  const { data } = await api.post('/v5/books/{bookId}/imports/{id}/undo', { path: { bookId, id }, idempotencyKey });
  return whenFinished(bookId, data);
}

/** The import when the server has done its work. A refusal in the middle of it is thrown. */
async function whenFinished(bookId: string, started: Import): Promise<Import> {
  const result = await whenDone(bookId, started);
  if (result.state === 'FAILED') throw new Problem(400, 'badRequest', result.error ?? 'The import could not go on.');
  return result;
}

export interface ConfirmInput {
  readonly run: Import;
  readonly body: ImportConfirmation;
}

/** Records a preview, and waits until it is done. A preview that has changed is shown anew. */
export function useConfirm() {
  const { id: bookId, numbers } = useBook();
  return useAction({
    bookId,
    done: (_input: ConfirmInput, { counts }: Import) => {
      const recorded = counts.new + counts.matched;
      return counts.new === 0 && counts.matched === 0 ? 'Nothing was new' : `Recorded ${formatCount(recorded, numbers)} ${recorded === 1 ? 'record' : 'records'}`;
    },
    run: async ({ run, body }, idempotencyKey): Promise<Import> => {
      try {
        const { data } = await api.post('/v5/books/{bookId}/imports/{id}/confirm', { path: { bookId, id: run.id }, body, idempotencyKey });
        const result = await whenFinished(bookId, data);
        if (result.state === 'PREVIEW') throw new Problem(409, 'previewChanged', 'The book has changed.');
        writeDecisions(run.id, NO_DECISIONS);
        return result;
      } catch (error) {
        if (!isProblem(error, 'previewChanged')) throw error;
        await queryClient.invalidateQueries({ queryKey: importKey(bookId, run.id), exact: true });
        throw new Problem(409, 'previewChanged', 'The book has changed since the preview, so nothing was recorded. Look at the differences, and record again.');
      }
    },
    undo: (_input, result, key) => undoRun(bookId, result.id, key),
  });
}

export function useUndoImport() {
  const { id: bookId, numbers } = useBook();
  return useAction({
    bookId,
    done: (_run: Import, { undone }: Import) => {
      const left = undone?.leftCount ?? 0;
      return `Moved ${formatCount(undone?.trashed ?? 0, numbers)} transactions to the trash${left > 0 ? `, left ${formatCount(left, numbers)}` : ''}`;
    },
    run: ({ id }, key) => undoRun(bookId, id, key),
  });
}

/** Changes decisions on this page. They are taken back by `z` like a write. */
export function changeDecisions(importId: string, label: string, next: Decisions): void {
  const before = readDecisions(importId);
  if (next === before) return;
  void perform({
    quiet: true,
    done: () => label,
    run: () => Promise.resolve(writeDecisions(importId, next)),
    undo: () => Promise.resolve(writeDecisions(importId, before)),
  }, undefined);
}

export interface RememberInput {
  readonly number: string;
  readonly account: Account;
}

/** The property of an account with the number or IBAN that its statements have (behaviour 15.2). */
const NUMBER_PROPERTY = 'bank_account';

/** Gives accounts the numbers of their statements. */
export function useRememberNumbers() {
  const { id: bookId } = useBook();
  const write = (items: Account[], idempotencyKey: string) => api.put('/v5/books/{bookId}/accounts/batch', { path: { bookId }, body: { items }, idempotencyKey });
  return useAction({
    bookId,
    done: (items: readonly RememberInput[]) => (items.length === 1 ? `${items[0]!.account.name} has the number ${items[0]!.number}` : `${items.length} accounts have their numbers`),
    run: (items, key) => write(items.map(({ account, number }) => ({ id: account.id!, properties: { [NUMBER_PROPERTY]: number } })), key),
    undo: (items, _result, key) => write(items.map(({ account }) => ({ id: account.id!, properties: { [NUMBER_PROPERTY]: account.properties?.[NUMBER_PROPERTY] ?? '' } })), key),
  });
}

export interface SaveRulesInput {
  readonly account: { readonly id: string; readonly name: string };
  readonly text: string;
  readonly before: { readonly file: StoredFile; readonly text: string; readonly etag: string | undefined } | null;
}

const encode = (text: string) => toBase64(new TextEncoder().encode(text));

/** Saves the rules of an account as a file of the book. */
export function useSaveRules() {
  const { id: bookId } = useBook();
  const path = { bookId };
  return useAction({
    bookId,
    done: ({ account }: SaveRulesInput) => `Saved the rules of ${account.name}`,
    run: async ({ account, text, before }, idempotencyKey): Promise<StoredFile> => {
      const content = encode(text);
      if (before) return (await api.put('/v5/books/{bookId}/files', { path, body: { id: before.file.id!, content }, ifMatch: before.etag, idempotencyKey })).data;
      const body = { name: `${account.name}.rules`.slice(0, 255), contentType: 'text/plain', content, properties: { [RULES_PROPERTY]: account.id } };
      return (await api.post('/v5/books/{bookId}/files', { path, body, idempotencyKey })).data;
    },
    undo: ({ before }, saved, idempotencyKey) =>
      before
        ? api.put('/v5/books/{bookId}/files', { path, body: { id: before.file.id!, content: encode(before.text) }, idempotencyKey })
        : api.delete('/v5/books/{bookId}/files/{id}', { path: { bookId, id: saved.id! }, idempotencyKey }),
  });
}
