import { useId, type ReactNode } from 'react';
import type { FieldProps } from './Field';
import './Field.css';
import './ChoiceField.css';

export interface Choice<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
}

export interface ChoiceFieldProps<Value extends string> extends Omit<FieldProps, 'placeholder' | 'autoFocus'> {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly choices: readonly Choice<Value>[];
  /** The label stands in front, as in a toolbar. */
  readonly isInline?: boolean;
}

/** One of a few values. The browser draws the list, so it works with touch and every screen reader. */
export function ChoiceField<Value extends string>(
  { label, isCompact, isInline = false, note, error, value, onChange, choices, isRequired = false, isDisabled = false }: ChoiceFieldProps<Value>,
) {
  const id = useId();
  const described = error ?? note;
  return (
    <div className={`field ${isCompact ? 'field-compact' : ''} ${isInline ? 'field-inline' : ''}`}>
      <label className="field-label" htmlFor={id}>{label}</label>
      <select
        id={id}
        className="field-input field-choice"
        value={value}
        required={isRequired}
        disabled={isDisabled}
        aria-invalid={error !== undefined}
        aria-describedby={described ? `${id}-note` : undefined}
        onChange={(event) => onChange(event.target.value as Value)}
      >
        {!choices.some((choice) => choice.value === value) && <option value={value}>{value}</option>}
        {choices.map((choice) => <option key={choice.value} value={choice.value}>{choice.label}</option>)}
      </select>
      {described && <span id={`${id}-note`} className={error ? 'field-error' : 'field-note'}>{described}</span>}
    </div>
  );
}

export interface CheckFieldProps {
  readonly label: ReactNode;
  readonly note?: ReactNode;
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
  readonly isDisabled?: boolean;
}

/** A yes or no with its label beside it. */
export function CheckField({ label, note, value, onChange, isDisabled = false }: CheckFieldProps) {
  const id = useId();
  return (
    <div className="field-check">
      <input
        id={id}
        type="checkbox"
        checked={value}
        disabled={isDisabled}
        aria-describedby={note ? `${id}-note` : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      {note && <span id={`${id}-note`} className="field-note">{note}</span>}
    </div>
  );
}
