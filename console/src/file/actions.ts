/** Attaching files to transactions and detaching them. The files stay in the book, so both can be undone. */
import { api, newKey } from '~/api/client';
import { isProblem, Problem } from '~/api/problem';
import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { useAction } from '~/ui/actions';
import { formatSize, MAX_BYTES, toBase64 } from './types';

interface AttachInput {
  readonly row: Transaction;
  readonly files: readonly File[];
}

interface DetachInput {
  readonly row: Transaction;
  readonly fileId: string;
  readonly name: string;
}

const refs = (ids: readonly string[]) => ids.map((id) => ({ id }));

/** Changes the files of the stored transaction; a concurrent change makes it read the newest version again. */
async function changeFiles(bookId: string, id: string, change: (ids: readonly string[]) => readonly string[], key: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const { data, etag } = await api.get('/v5/books/{bookId}/transactions/{id}', { path: { bookId, id } });
    const body = { id, files: refs(change((data.files ?? []).map((file) => file.id!))) };
    try {
      if (data.checked) {
        await api.put('/v5/books/{bookId}/transactions/batch', { path: { bookId }, query: { all: true, updateChecked: true }, body: { items: [body] }, idempotencyKey: key });
      } else {
        await api.put('/v5/books/{bookId}/transactions', { path: { bookId }, body, ifMatch: etag, idempotencyKey: attempt === 1 ? key : newKey() });
      }
      return;
    } catch (error) {
      if (!isProblem(error) || !error.isStale || attempt >= 3) throw error;
    }
  }
}

async function upload(bookId: string, file: File): Promise<string> {
  if (file.size > MAX_BYTES) throw new Problem(413, 'requestTooLarge', `${file.name} has ${formatSize(file.size)}. A file has at most 20 MB.`);
  const content = toBase64(new Uint8Array(await file.arrayBuffer()));
  const { data } = await api.post('/v5/books/{bookId}/files', {
    path: { bookId },
    body: { name: file.name, ...(file.type ? { contentType: file.type } : {}), content, properties: { upload_method: 'attachment' } },
  });
  return data.id!;
}

/** Uploads files and attaches them to a transaction. */
export function useAttach() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: ({ files }: AttachInput) => (files.length === 1 ? `Attached ${files[0]!.name}` : `Attached ${files.length} files`),
    run: async ({ row, files }, key): Promise<readonly string[]> => {
      const ids: string[] = [];
      for (const file of files) ids.push(await upload(bookId, file));
      await changeFiles(bookId, row.id!, (old) => [...old, ...ids], key);
      return ids;
    },
    undo: ({ row }, ids, key) => changeFiles(bookId, row.id!, (old) => old.filter((id) => !ids.includes(id)), key),
  });
}

/** Takes a file off a transaction. */
export function useDetach() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: ({ name }: DetachInput) => `Removed ${name}`,
    run: async ({ row, fileId }, key) => {
      await changeFiles(bookId, row.id!, (old) => old.filter((id) => id !== fileId), key);
      return fileId;
    },
    undo: ({ row }, fileId, key) => changeFiles(bookId, row.id!, (old) => [...old, fileId], key),
  });
}
