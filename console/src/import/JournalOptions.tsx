import { useState, type FormEvent } from 'react';
import { useBook } from '~/book/types';
import { Button } from '~/ui/Button';
import { CheckField, ChoiceField } from '~/ui/fields/ChoiceField';
import { TextField } from '~/ui/fields/Field';
import { DropZone } from './DropZone';
import { defaultSource, MAX_SOURCE, mayHaveVirtualPostings, needsMorePlaces, virtualChoices, virtualPostingsOf } from './journal';
import { useRecords } from './queries';
import type { ReadOptions } from './sourceFiles';
import type { Import } from './types';
import { useReread } from './useReread';

/** What may be chosen about the preview of a journal. Each choice reads the file again. */
export function JournalOptions({ run }: { readonly run: Import }) {
  const { id: bookId } = useBook();
  const { hasFile, isPending, reread } = useReread(run);
  const [chosen, setChosen] = useState<ReadOptions>();
  // Only the first page of the refused records is searched.
  const { data: refused } = useRecords(bookId, run, 'REFUSED');
  const hasVirtual = mayHaveVirtualPostings(run);
  const offersPlaces = run.options.raiseFractionDigits === true || refused?.pages.some(({ items }) => items.some(needsMorePlaces)) === true;
  const read = async (options: ReadOptions, file?: File) => {
    if (isPending) return;
    setChosen(options);
    if (!hasFile && !file) return;
    await reread(options, file);
    setChosen(undefined);
  };
  const change = (options: ReadOptions) => void read({ ...chosen, ...options });
  const shown = { ...run.options, ...chosen };
  return (
    <section className="import-note" aria-label="Journal">
      <div className="import-journal">
        {hasVirtual && (
          <ChoiceField
            label="Virtual postings"
            isInline
            value={virtualPostingsOf(shown, run.target)}
            onChange={(virtualPostings) => change({ virtualPostings })}
            choices={virtualChoices(run.target)}
          />
        )}
        {offersPlaces && <RaisePlaces target={run.target} value={shown.raiseFractionDigits === true} onChange={(raiseFractionDigits) => change({ raiseFractionDigits })} />}
        <Source placeholder={defaultSource(run)} value={shown.source ?? ''} isPending={isPending} onChange={(source) => change({ source })} />
      </div>
      {chosen && !hasFile && <DropZone isSmall title="Choose the file again to read it with these options. Until then the preview stays as it was." isPending={isPending} onFile={(file) => void read(chosen, file)} />}
    </section>
  );
}

interface SourceProps {
  readonly placeholder: string;
  readonly value: string;
  readonly isPending: boolean;
  readonly onChange: (value: string) => void;
}

/** The name of the source. It is sent by a button, because every change reads the file again. */
function Source({ placeholder, value, isPending, onChange }: SourceProps) {
  const [text, setText] = useState(value);
  const source = text.trim();
  const isTooLong = [...source].length > MAX_SOURCE;
  const isDisabled = isPending || isTooLong || source === value;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isDisabled) onChange(source);
  };
  return (
    <form noValidate className="import-answer" onSubmit={submit}>
      <TextField
        label="Source"
        note="Each journal of a book needs its own, the same at every import."
        error={isTooLong ? `At most ${MAX_SOURCE} characters.` : undefined}
        placeholder={placeholder}
        value={text}
        onChange={setText}
      />
      <Button type="submit" isDisabled={isDisabled}>Read the file again</Button>
    </form>
  );
}

interface RaisePlacesProps {
  readonly target: Import['target'];
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
}

function RaisePlaces({ target, value, onChange }: RaisePlacesProps) {
  const { can } = useBook();
  const isNew = target === 'NEW';
  const isAllowed = isNew || can('EDITOR');
  const note = isNew
    ? 'Without this, entries with more decimal places than the journal declares are refused.'
    : isAllowed
      ? 'Without this, entries with more decimal places than the book are refused. An undo does not lower the places again.'
      : 'You may not change the book. Ask somebody who edits it to raise its decimal places.';
  return <CheckField label="Raise the decimal places of the book to those of the file" note={note} value={value} isDisabled={!isAllowed && !value} onChange={onChange} />;
}
