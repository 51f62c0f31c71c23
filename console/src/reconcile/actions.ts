/** Writes on reconciliations. Each can be undone. */
import { api } from '~/api/client';
import { useBook } from '~/book/types';
import { toPlain, type Decimal } from '~/lib/money';
import { useAction } from '~/ui/actions';
import type { Reconciliation } from './queries';

export interface SheetInput {
  /** The record before; undefined for a new one. */
  readonly before: Reconciliation | undefined;
  readonly accountId: string;
  readonly date: string;
  readonly closing: Decimal;
  readonly fileId: string | undefined;
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

export function useSaveSheet() {
  const { id: bookId, day } = useBook();
  return useAction({
    bookId,
    done: ({ date }: SheetInput) => `Saved the reconciliation of ${day(date)}`,
    run: async ({ before, accountId, date, closing, fileId, add, remove }, idempotencyKey): Promise<Reconciliation> => {
      const fields = { date, closingBalance: toPlain(closing), fileId: fileId ?? null, add: [...add] };
      if (!before) {
        const body = { account: { id: accountId }, ...fields };
        return (await api.post('/v5/books/{bookId}/reconciliations', { path: { bookId }, body, idempotencyKey })).data;
      }
      const body = { ...fields, remove: [...remove] };
      return (await api.put('/v5/books/{bookId}/reconciliations/{id}', { path: { bookId, id: before.id }, body, idempotencyKey })).data;
    },
    undo: async ({ before, add, remove }, saved, idempotencyKey) => {
      const path = { bookId, id: saved.id };
      if (!before) return api.delete('/v5/books/{bookId}/reconciliations/{id}', { path, idempotencyKey });
      const { date, closingBalance, fileId } = before;
      const body = { date, closingBalance, fileId: fileId ?? null, add: [...remove], remove: [...add] };
      return api.put('/v5/books/{bookId}/reconciliations/{id}', { path, body, idempotencyKey });
    },
  });
}

/** Takes later changes as seen: putting a row on again ends its changes (14.8). */
export function useAcceptChanges() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: ({ ids }: { id: string; ids: readonly string[] }) => `Accepted ${ids.length === 1 ? 'the change' : `${ids.length} changes`}`,
    run: ({ id, ids }, idempotencyKey) =>
      api.put('/v5/books/{bookId}/reconciliations/{id}', { path: { bookId, id }, body: { add: [...ids] }, idempotencyKey }),
  });
}

export function useDeleteSheet() {
  const { id: bookId, day } = useBook();
  return useAction({
    bookId,
    done: (sheet: Reconciliation) => `Deleted the reconciliation of ${day(sheet.date)}`,
    run: ({ id }, idempotencyKey) => api.delete('/v5/books/{bookId}/reconciliations/{id}', { path: { bookId, id }, idempotencyKey }),
    undo: ({ account, date, closingBalance, fileId, transactionIds }, _result, idempotencyKey) =>
      api.post('/v5/books/{bookId}/reconciliations', {
        path: { bookId },
        body: { account: { id: account.id! }, date, closingBalance, ...(fileId ? { fileId } : {}), add: [...(transactionIds ?? [])] },
        idempotencyKey,
      }),
  });
}

/** Stores a statement file. It belongs to the record after the next save. */
export function useUploadStatement() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: (file: File) => `Uploaded ${file.name}`,
    run: async (file, idempotencyKey) => {
      const content = await toBase64(file);
      const body = { name: file.name, content, ...(file.type ? { contentType: file.type } : {}) };
      return (await api.post('/v5/books/{bookId}/files', { path: { bookId }, body, idempotencyKey })).data;
    },
  });
}

function toBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(new Error('The file could not be read.'));
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.readAsDataURL(file);
  });
}
