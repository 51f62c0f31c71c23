import { useRef, useState } from 'react';
import { Button } from '~/ui/Button';
import { Icon } from '~/ui/Icon';

/** Takes one file, dropped or chosen. */
export function DropZone({ onFile, isPending, isSmall = false, title = 'Drop the file of your bank here' }: {
  readonly onFile: (file: File) => void;
  readonly isPending: boolean;
  readonly isSmall?: boolean;
  readonly title?: string;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null) => {
    const file = files?.[0];
    if (file && !isPending) onFile(file);
  };
  return (
    <div
      className={`import-drop ${isOver ? 'is-over' : ''} ${isSmall ? 'is-small' : ''}`}
      onDragOver={(event) => { if (event.dataTransfer.types.includes('Files')) { event.preventDefault(); setOver(true); } }}
      onDragLeave={(event) => !event.currentTarget.contains(event.relatedTarget as Node | null) && setOver(false)}
      onDrop={(event) => { event.preventDefault(); setOver(false); take(event.dataTransfer.files); }}
    >
      {!isSmall && <Icon name="import" size={28} />}
      <strong>{title}</strong>
      <input ref={input} type="file" hidden tabIndex={-1} aria-label="Choose a file to import" onChange={(event) => { take(event.target.files); event.target.value = ''; }} />
      <Button look={isSmall ? 'plain' : 'primary'} isDisabled={isPending} onPress={() => input.current?.click()}>{isPending ? 'Sending' : 'Choose a file'}</Button>
      {!isSmall && <p className="muted">CSV, OFX, QFX, QIF, CAMT, MT940, Excel and OpenDocument tables, and journals of hledger, ledger, beancount and GnuCash, up to 64 MB. The name does not matter: Daybook looks at the content. Nothing is recorded before you have seen it.</p>}
    </div>
  );
}
