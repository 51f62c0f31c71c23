import { useId } from 'react';
import '~/ui/fields/Field.css';

/** A choice of a few fixed values, with the select of the browser. */
export function SelectField({ label, value, onChange, options, isCompact = false }: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly isCompact?: boolean;
}) {
  const id = useId();
  return (
    <div className={`field ${isCompact ? 'field-compact' : ''}`}>
      <label className="field-label" htmlFor={id}>{label}</label>
      <select id={id} className="field-input" value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map(([key, name]) => <option key={key} value={key}>{name}</option>)}
      </select>
    </div>
  );
}
