import { Button } from '~/ui/Button';
import { Icon } from '~/ui/Icon';
import type { ChangeDraft } from './store';

/** Lines that could not be recorded, kept until they are taken back or discarded. */
export function UnsavedLines({ lines, change }: { readonly lines: readonly string[]; readonly change: ChangeDraft }) {
  if (lines.length === 0) return null;
  const without = (index: number) => (draft: { unsaved: readonly string[] }) => draft.unsaved.filter((_, at) => at !== index);
  return (
    <ul className="entry-unsaved" aria-label="Not recorded">
      {lines.map((line, index) => (
        <li key={`${index} ${line}`}>
          <Icon name="warning" size={13} />
          <span>Not recorded:</span> <bdi className="truncate">{line}</bdi>
          <Button onPress={() => change((draft) => ({ line: line, unsaved: [...without(index)(draft), ...(draft.line.trim() ? [draft.line] : [])] }))}>Edit</Button>
          <Button look="ghost" icon="close" aria-label="Discard the line" onPress={() => change((draft) => ({ unsaved: without(index)(draft) }))} />
        </li>
      ))}
    </ul>
  );
}
