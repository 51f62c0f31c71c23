import type { KeyboardEventHandler, ReactNode } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField as AriaTextField } from 'react-aria-components/TextField';
import './Field.css';

/** What all form fields share. A field always has a label; `isCompact` shows it to screen readers only. */
export interface FieldProps {
  readonly label: string;
  readonly isCompact?: boolean | undefined;
  readonly isRequired?: boolean | undefined;
  readonly isDisabled?: boolean | undefined;
  readonly autoFocus?: boolean | undefined;
  readonly placeholder?: string | undefined;
  /** A hint below the field. */
  readonly note?: ReactNode;
  /** What is wrong with the value; the field is invalid while it is set. */
  readonly error?: string | undefined;
}

export interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onBlur?: (() => void) | undefined;
  readonly onKeyDown?: KeyboardEventHandler | undefined;
  readonly inputMode?: 'text' | 'decimal' | 'email' | undefined;
  readonly isMultiline?: boolean | undefined;
  readonly inputClass?: string | undefined;
}

export function TextField(props: TextFieldProps) {
  const { label, isCompact, placeholder, note, error, value, onChange, onBlur, onKeyDown, inputMode, isMultiline, inputClass = '' } = props;
  const { isRequired = false, isDisabled = false, autoFocus = false } = props;
  const common = { className: `field-input ${inputClass}`, placeholder: placeholder ?? '', ...(onKeyDown ? { onKeyDown } : {}) };
  return (
    <AriaTextField
      className={`field ${isCompact ? 'field-compact' : ''}`}
      value={value}
      onChange={onChange}
      isInvalid={error !== undefined}
      {...{ isRequired, isDisabled, autoFocus }}
      {...(onBlur ? { onBlur } : {})}
    >
      <Label className="field-label">{label}</Label>
      {isMultiline ? <TextArea {...common} /> : <Input {...common} inputMode={inputMode ?? 'text'} autoComplete="off" />}
      {note && !error && <Text slot="description" className="field-note">{note}</Text>}
      <FieldError className="field-error">{error}</FieldError>
    </AriaTextField>
  );
}
