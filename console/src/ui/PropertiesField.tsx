import { useId } from 'react';
import { Button } from './Button';
import './PropertiesField.css';

/** Keys and values as rows, with an empty row for the next one. */
export function PropertiesField({ label, rows, onChange, isDisabled = false }: {
  readonly label: string;
  readonly rows: readonly (readonly [string, string])[];
  readonly onChange: (rows: readonly (readonly [string, string])[]) => void;
  readonly isDisabled?: boolean;
}) {
  const id = useId();
  const shown = isDisabled ? rows : [...rows, ['', ''] as const];
  const set = (index: number, row: readonly [string, string]) => {
    const next = shown.map((old, at) => (at === index ? row : old));
    onChange(next.filter(([key, value], at) => key || value || at < rows.length));
  };
  return (
    <fieldset className="properties" aria-labelledby={id} disabled={isDisabled}>
      <span id={id} className="field-label">{label}</span>
      {shown.map(([key, value], index) => (
        <div key={index} className="property">
          <input className="field-input" aria-label={`Name of property ${index + 1}`} placeholder="name" maxLength={30} value={key} onChange={(event) => set(index, [event.target.value, value])} />
          <input className="field-input" aria-label={`Value of property ${key || index + 1}`} placeholder="value" value={value} onChange={(event) => set(index, [key, event.target.value])} />
          {index < rows.length ? (
            <Button look="ghost" icon="close" aria-label={`Remove property ${key || index + 1}`} onPress={() => onChange(rows.filter((_, at) => at !== index))} />
          ) : <span />}
        </div>
      ))}
      {shown.length === 0 && <span className="muted">None</span>}
    </fieldset>
  );
}
