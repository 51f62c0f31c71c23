import { useId } from 'react';
import './Select.css';

export interface SelectOption {
  readonly value: string;
  readonly label: string;
}

/** A short choice as a native list box, with its label in front. */
export function Select({ label, value, options, onChange, isDisabled = false }: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly SelectOption[];
  readonly onChange: (value: string) => void;
  readonly isDisabled?: boolean;
}) {
  const id = useId();
  return (
    <span className="select">
      <label htmlFor={id} className="muted">{label}</label>
      <select id={id} className="field-input" value={value} disabled={isDisabled} onChange={(event) => onChange(event.target.value)}>
        {options.map((option) => <option key={option.value} value={option.value}>{option.label}</option>)}
      </select>
    </span>
  );
}
