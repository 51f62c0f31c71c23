import { useState, type KeyboardEvent } from 'react';
import { useBook } from '~/book/types';
import { addDays, formatDay, formatDayLong, readDay } from '~/lib/dates';
import { TextField, type FieldProps } from './Field';

export interface DateFieldProps extends FieldProps {
  /** `yyyy-MM-dd`, or ''. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/**
 * A day in the pattern of the book, with relative entry: `mon`, `-3`, `15`, `15/3`. The arrow keys move by a
 * day. A day that is locked is marked.
 */
export function DateField({ value, onChange, error, note, ...rest }: DateFieldProps) {
  const { pattern, today, lockedUntil } = useBook();
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? (value ? formatDay(value, pattern) : '');
  const reading = typed === undefined ? value : (readDay(typed, pattern, today) ?? '');
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!step || event.altKey) return;
    event.preventDefault();
    setTyped(undefined);
    onChange(addDays(reading || today, step));
  };
  const isLocked = reading !== '' && reading <= lockedUntil;
  const isUnreadable = Boolean(typed?.trim()) && !reading;
  return (
    <TextField
      {...rest}
      placeholder={rest.placeholder ?? pattern.toLowerCase()}
      value={shown}
      onChange={(text) => {
        setTyped(text);
        onChange(readDay(text, pattern, today) ?? '');
      }}
      onBlur={() => {
        if (!isUnreadable) setTyped(undefined);
      }}
      onKeyDown={onKeyDown}
      note={isLocked ? `Locked up to ${formatDay(lockedUntil, pattern)}` : reading ? formatDayLong(reading) : note}
      error={error ?? (isUnreadable ? 'not a date' : undefined)}
    />
  );
}
