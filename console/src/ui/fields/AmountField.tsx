import { useState } from 'react';
import { useBook } from '~/book/types';
import { compare, formatMoney, readAmount, toInput, type Decimal } from '~/lib/money';
import { TextField, type FieldProps } from './Field';

export interface AmountFieldProps extends FieldProps {
  readonly value: Decimal | undefined;
  /** Gets undefined while the text is empty or cannot be read. */
  readonly onChange: (value: Decimal | undefined) => void;
}

/** An amount in the format of the book. Arithmetic such as `12.50*3+4` becomes its result. */
export function AmountField({ value, onChange, error, note, ...rest }: AmountFieldProps) {
  const { numbers } = useBook();
  const [text, setText] = useState(value ? toInput(value, numbers) : '');
  const [isEditing, setEditing] = useState(false);
  const reading = readAmount(text, numbers);
  const readValue = reading.kind === 'amount' ? reading.value : undefined;
  // A value that was set from outside replaces the text.
  const isSame = value && readValue ? compare(value, readValue) === 0 : value === undefined;
  const shown = isSame ? text : value ? toInput(value, numbers) : '';
  return (
    <TextField
      {...rest}
      inputMode="decimal"
      inputClass="field-number"
      value={shown}
      onChange={(typed) => {
        setEditing(true);
        setText(typed);
        const next = readAmount(typed, numbers);
        onChange(next.kind === 'amount' ? next.value : undefined);
      }}
      onBlur={() => {
        setEditing(false);
        if (readValue) setText(toInput(readValue, numbers));
      }}
      note={reading.kind === 'amount' && reading.computed ? `= ${formatMoney(reading.value, numbers)}` : note}
      error={error ?? (reading.kind === 'error' && !isEditing ? reading.message : undefined)}
    />
  );
}
