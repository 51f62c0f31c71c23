import { useId } from 'react';
import type { FieldProps } from './Field';
import './Field.css';

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

export interface ChoiceFieldProps<Value extends string> extends Pick<FieldProps, 'label' | 'isCompact' | 'isDisabled' | 'note'> {
  readonly value: Value;
  readonly choices: readonly Choice<Value>[];
  readonly onChange: (value: Value) => void;
}

/** One of a few values, in the browser's own list, which works with every keyboard and screen reader. */
export function ChoiceField<Value extends string>({ label, value, choices, onChange, isCompact, isDisabled, note }: ChoiceFieldProps<Value>) {
  const id = useId();
  return (
    <div className={`field ${isCompact ? 'field-compact' : ''}`}>
      <label className="field-label" htmlFor={id}>{label}</label>
      <select
        id={id}
        className="field-input field-choice"
        value={value}
        disabled={isDisabled}
        aria-describedby={note ? `${id}-note` : undefined}
        onChange={(event) => onChange(event.target.value as Value)}
      >
        {choices.map((choice) => <option key={choice.value} value={choice.value}>{choice.label}</option>)}
      </select>
      {note && <span id={`${id}-note`} className="field-note">{note}</span>}
    </div>
  );
}
