import { useRef, useState, type DragEvent } from 'react';
import type { components } from '~/api/schema';
import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { Button } from '~/ui/Button';
import { Icon } from '~/ui/Icon';
import { useAttach, useDetach } from './actions';
import { downloadFile, FileView } from './FileView';
import { formatSize, viewOf } from './types';
import './FileSection.css';

type StoredFile = components['schemas']['File'];

/** The files of a transaction: drop, upload, look at, download, remove. */
export function FileSection({ row, canEdit, mayEdit }: {
  readonly row: Transaction;
  readonly canEdit: boolean;
  /** Asks before a checked transaction changes. */
  readonly mayEdit: () => Promise<boolean>;
}) {
  const { id: bookId } = useBook();
  const attach = useAttach();
  const detach = useDetach();
  const input = useRef<HTMLInputElement>(null);
  const [shown, setShown] = useState<string>();
  const [isOver, setOver] = useState(false);
  const files = row.files ?? [];
  const add = async (added: readonly File[]) => {
    if (added.length > 0 && (await mayEdit())) await attach.run({ row, files: added });
  };
  const remove = async (file: StoredFile) => {
    if (await mayEdit()) await detach.run({ row, fileId: file.id!, name: file.name ?? 'the file' });
  };
  const isFileDrag = (event: DragEvent) => canEdit && event.dataTransfer.types.includes('Files');
  if (files.length === 0 && !canEdit) return null;
  return (
    <section
      className={`panel-section file-section ${isOver ? 'is-over' : ''}`}
      onDragOver={(event) => { if (isFileDrag(event)) { event.preventDefault(); setOver(true); } }}
      onDragLeave={(event) => !event.currentTarget.contains(event.relatedTarget as Node | null) && setOver(false)}
      onDrop={(event) => { if (isFileDrag(event)) { event.preventDefault(); setOver(false); void add([...event.dataTransfer.files]); } }}
    >
      <h3>Files</h3>
      <ul className="file-list">
        {files.map((file) => (
          <li key={file.id}>
            <Icon name="file" size={14} />
            <span className="file-name" title={file.name}><bdi>{file.name}</bdi></span>
            <span className="muted">{file.size !== undefined && formatSize(file.size)}</span>
            {viewOf(file.contentType) && (
              <Button look="ghost" aria-expanded={shown === file.id} onPress={() => setShown(shown === file.id ? undefined : file.id)}>{shown === file.id ? 'Hide' : 'View'}</Button>
            )}
            <Button look="ghost" aria-label={`Download ${file.name}`} onPress={() => void downloadFile(bookId, file)}>Download</Button>
            {canEdit && <Button look="ghost" icon="close" aria-label={`Remove ${file.name}`} onPress={() => void remove(file)} />}
            {shown === file.id && <FileView file={file} />}
          </li>
        ))}
      </ul>
      {canEdit && (
        <div className="file-add">
          <input ref={input} type="file" multiple hidden tabIndex={-1} aria-label="Choose files" onChange={(event) => { void add([...(event.target.files ?? [])]); event.target.value = ''; }} />
          <Button icon="plus" isDisabled={attach.isPending} onPress={() => input.current?.click()}>{attach.isPending ? 'Uploading' : 'Attach files'}</Button>
          <span className="muted">or drop them here</span>
        </div>
      )}
    </section>
  );
}
