import { useId, type ReactNode } from 'react';
import './CheckField.css';

/** A choice between yes and no, with its label beside it. */
export function CheckField({ label, note, checked, onChange, isDisabled }: {
  readonly label: ReactNode;
  readonly note?: ReactNode;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly isDisabled?: boolean;
}) {
  const id = useId();
  return (
    <div className="check-field">
      <input type="checkbox" id={id} checked={checked} disabled={isDisabled} aria-describedby={note ? `${id}-note` : undefined} onChange={(event) => onChange(event.target.checked)} />
      <label htmlFor={id}>{label}</label>
      {note && <span id={`${id}-note`} className="field-note">{note}</span>}
    </div>
  );
}
