import { useId, type ReactNode } from 'react';
import type { FieldProps } from './Field';
import './Field.css';
import './ChoiceField.css';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export interface ChoiceFieldProps extends Omit<FieldProps, 'placeholder' | 'autoFocus'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly choices: readonly Choice[];
}

/** One of a few values. The browser draws the list, so it works with touch and every screen reader. */
export function ChoiceField({ label, isCompact, note, error, value, onChange, choices, isRequired = false, isDisabled = false }: ChoiceFieldProps) {
  const id = useId();
  const described = error ?? note;
  return (
    <div className={`field ${isCompact ? 'field-compact' : ''}`}>
      <label className="field-label" htmlFor={id}>{label}</label>
      <select
        id={id}
        className="field-input field-choice"
        value={value}
        required={isRequired}
        disabled={isDisabled}
        aria-invalid={error !== undefined}
        aria-describedby={described ? `${id}-note` : undefined}
        onChange={(event) => onChange(event.target.value)}
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
