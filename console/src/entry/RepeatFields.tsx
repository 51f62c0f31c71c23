import { useState } from 'react';
import { useBook } from '~/book/types';
import { TextField } from '~/ui/fields/Field';
import { MAX_REPEATS, seriesDays, type Repeat, type RepeatUnit } from './series';
import { ChoiceField, type Choice } from '~/ui/fields/ChoiceField';

const UNITS: readonly Choice<RepeatUnit>[] = [{ value: 'week', label: 'weeks' }, { value: 'month', label: 'months' }, { value: 'year', label: 'years' }];

/** How often an entry is repeated. Each repetition becomes a draft. */
export function RepeatFields({ repeat, first, onChange }: {
  readonly repeat: Repeat;
  /** The day of the first entry, or ''. */
  readonly first: string;
  readonly onChange: (repeat: Repeat) => void;
}) {
  const { day } = useBook();
  const days = first ? seriesDays(first, repeat) : [];
  return (
    <fieldset className="entry-legs">
      <legend>Repeat</legend>
      <div className="entry-repeat">
        <CountField label="Every" value={repeat.every} max={99} onChange={(every) => onChange({ ...repeat, every })} />
        <ChoiceField label="Unit" value={repeat.unit} choices={UNITS} onChange={(unit) => onChange({ ...repeat, unit })} />
        <CountField label="Drafts" value={repeat.count} max={MAX_REPEATS} onChange={(count) => onChange({ ...repeat, count })} />
        <p className="field-note">
          {days.length > 0 ? `${days.length} drafts: ${days.slice(0, 2).map(day).join(', ')}${days.length > 2 ? ` … ${day(days.at(-1))}` : ''}` : 'Give a date first.'}
        </p>
      </div>
    </fieldset>
  );
}

function CountField({ label, value, max, onChange }: { readonly label: string; readonly value: number; readonly max: number; readonly onChange: (value: number) => void }) {
  const [text, setText] = useState(String(value));
  const read = (typed: string) => (/^\d{1,2}$/.test(typed.trim()) ? Number(typed) : 0);
  const isValid = read(text) >= 1 && read(text) <= max;
  return (
    <TextField
      label={label}
      value={text}
      inputMode="decimal"
      inputClass="field-number"
      error={isValid ? undefined : `1 to ${max}`}
      onChange={(typed) => {
        setText(typed);
        if (read(typed) >= 1 && read(typed) <= max) onChange(read(typed));
      }}
    />
  );
}
