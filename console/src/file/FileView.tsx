import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { api } from '~/api/client';
import { sentence } from '~/api/problem';
import type { components } from '~/api/schema';
import { useBook } from '~/book/types';
import { Loading } from '~/ui/EmptyState';
import { saveBlob } from '~/ui/save';
import { showToast } from '~/ui/toasts';
import { baseType, fromBase64, viewOf } from './types';

type StoredFile = components['schemas']['File'];

async function loadFile(bookId: string, id: string, type: string, signal?: AbortSignal): Promise<Blob> {
  const { data } = await api.get('/v5/books/{bookId}/files/{id}', { path: { bookId, id }, signal });
  return new Blob([fromBase64(data.content ?? '')], { type });
}

/** An image or a PDF in place. The type is one of a short list, whatever the file says about itself. */
export function FileView({ file }: { readonly file: StoredFile }) {
  const { id: bookId } = useBook();
  const view = viewOf(file.contentType);
  const { data: blob, error } = useQuery({
    // A change of the file gives it another time of update.
    queryKey: ['file', bookId, file.id, file.updatedAt],
    staleTime: Infinity,
    gcTime: 60_000,
    queryFn: ({ signal }) => loadFile(bookId, file.id!, baseType(file.contentType), signal),
  });
  const address = useMemo(() => blob && URL.createObjectURL(blob), [blob]);
  useEffect(() => () => { if (address) URL.revokeObjectURL(address); }, [address]);
  if (error) return <p className="negative file-view">{sentence(error)}</p>;
  if (!address) return <div className="file-view"><Loading label="Loading the file" /></div>;
  return (
    <div className="file-view">
      {view === 'image' ? <img src={address} alt={file.name} /> : <iframe src={address} title={file.name} />}
    </div>
  );
}

/** Saves the bytes under the name of the file. */
export async function downloadFile(bookId: string, file: StoredFile): Promise<void> {
  try {
    saveBlob(await loadFile(bookId, file.id!, 'application/octet-stream'), file.name ?? 'file');
  } catch (error) {
    showToast(sentence(error), { tone: 'error' });
  }
}
