import { useId } from 'react';
import { Button } from '~/ui/Button';
import { TextField } from '~/ui/fields/Field';
import type { PropertyRow } from './store';

/** Custom properties as pairs of name and value. */
export function Properties({ rows, known, onChange }: {
  readonly rows: readonly PropertyRow[];
  readonly known: readonly string[];
  readonly onChange: (rows: readonly PropertyRow[]) => void;
}) {
  const id = useId();
  if (rows.length === 0) return null;
  const set = (index: number, changes: Partial<PropertyRow>) => onChange(rows.map((row, at) => (at === index ? { ...row, ...changes } : row)));
  return (
    <fieldset className="entry-legs" aria-describedby={known.length > 0 ? id : undefined}>
      <legend>Properties</legend>
      {rows.map((row, index) => (
        <div key={index} className="entry-property" role="group" aria-label={`Property ${index + 1}`}>
          <TextField label={`Name of property ${index + 1}`} isCompact placeholder="Name" value={row.key} onChange={(key) => set(index, { key })} />
          <TextField label={`Value of property ${index + 1}`} isCompact placeholder="Value" value={row.value} onChange={(value) => set(index, { value })} />
          <Button look="ghost" icon="close" aria-label={`Remove property ${index + 1}`} onPress={() => onChange(rows.filter((_, at) => at !== index))} />
        </div>
      ))}
      {known.length > 0 && <p id={id} className="field-note">Used in this book: <bdi>{known.slice(0, 6).join(', ')}</bdi></p>}
    </fieldset>
  );
}
