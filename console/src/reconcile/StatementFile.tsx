import { useRef } from 'react';
import { Button } from '~/ui/Button';
import { Icon } from '~/ui/Icon';
import { useUploadStatement } from './actions';
import { useStatementFile } from './queries';

/** The file of the statement: choose, open, remove. */
export function StatementFile({ fileId, onChange, isDisabled }: {
  readonly fileId: string | undefined;
  readonly onChange: (id: string | undefined) => void;
  readonly isDisabled: boolean;
}) {
  const input = useRef<HTMLInputElement>(null);
  const upload = useUploadStatement();
  const { data } = useStatementFile(fileId);
  const choose = async (file: File | undefined) => {
    if (!file) return;
    const stored = await upload.run(file);
    if (stored?.id) onChange(stored.id);
  };
  return (
    <div className="field reconcile-file">
      <span className="field-label">Statement file</span>
      <span className="reconcile-file-row">
        {fileId && (
          <span className="truncate">
            <Icon name="file" size={13} />{' '}
            {data?.url ? <a href={data.url} target="_blank" rel="noreferrer"><bdi>{data.name}</bdi></a> : <bdi>{data?.name ?? 'Statement'}</bdi>}
          </span>
        )}
        {!isDisabled && (
          <>
            <input ref={input} type="file" className="hidden-visually" tabIndex={-1} aria-label="Choose the statement file" onChange={(event) => void choose(event.target.files?.[0])} />
            <Button isDisabled={upload.isPending} onPress={() => input.current?.click()}>{upload.isPending ? 'Uploading' : fileId ? 'Replace' : 'Attach'}</Button>
            {fileId && <Button look="ghost" icon="close" aria-label="Remove the statement file" onPress={() => onChange(undefined)} />}
          </>
        )}
      </span>
    </div>
  );
}
