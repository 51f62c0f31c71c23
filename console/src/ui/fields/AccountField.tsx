import { useEffect, useMemo, useState, type FormEvent, type KeyboardEvent } from 'react';
import { ComboBox } from 'react-aria-components/ComboBox';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Text } from 'react-aria-components/Text';
import { useBook } from '~/book/types';
import { fold, rank } from '~/lib/query';
import { TYPE_NAMES, type AccountType } from '~/lib/signs';
import type { FieldProps } from './Field';

export interface AccountFieldProps extends FieldProps {
  /** Id of an account, or ''. */
  readonly value: string;
  readonly onChange: (id: string) => void;
  /** Offers to create an account with a name that does not exist. */
  readonly onCreate?: ((name: string) => void) | undefined;
  /** Only these accounts; archived ones never. */
  readonly filter?: ((type: AccountType) => boolean) | undefined;
}

interface Option {
  readonly id: string;
  readonly name: string;
  readonly detail: string;
}

const SHOWN = 40;
const NEW = 'new';

/** An account by any part of its name, accents ignored. Tab and Enter take the first match. */
export function AccountField({ value, onChange, onCreate, filter, label, isCompact, placeholder, note, error, isRequired = false, isDisabled = false, autoFocus = false }: AccountFieldProps) {
  const { accounts, accountById } = useBook();
  const name = accountById.get(value)?.name ?? '';
  const [text, setText] = useState(name);
  useEffect(() => setText(name), [name]);
  const isTyped = text !== name && text !== '';

  const options = useMemo(() => {
    const usable = accounts.filter((account) => !account.archived && (!filter || filter(account.type as AccountType)));
    const byName = new Map(usable.map((account) => [account.name!, account]));
    const found: Option[] = rank([...byName.keys()], isTyped ? text.trim() : '', SHOWN).map((match) => {
      const account = byName.get(match)!;
      return { id: account.id!, name: match, detail: TYPE_NAMES[account.type as AccountType] };
    });
    // Until something is typed, the chosen account is an option: the combo box takes its text from there.
    if (value && !isTyped && !found.some(({ id }) => id === value)) found.push({ id: value, name, detail: '' });
    const typed = text.trim();
    if (onCreate && isTyped && typed && !found.some((option) => fold(option.name) === fold(typed))) {
      found.push({ id: NEW, name: `New account: ${typed}`, detail: '' });
    }
    return found;
  }, [accounts, filter, text, isTyped, value, name, onCreate]);

  const choose = (id: string) => {
    if (id === NEW) {
      onCreate?.(text.trim());
      return;
    }
    setText(accountById.get(id)?.name ?? '');
    onChange(id);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if ((event.key !== 'Tab' && event.key !== 'Enter') || !isTyped) return;
    if (event.currentTarget.getAttribute('aria-activedescendant')) return;
    if (options[0]) choose(options[0].id);
  };
  // Only edits by a person clear the value; the combo box also empties its text when its options change.
  const onInput = (event: FormEvent<HTMLInputElement>) => {
    if (!event.currentTarget.value && value) onChange('');
  };
  return (
    <ComboBox
      className={`field ${isCompact ? 'field-compact' : ''}`}
      items={options}
      inputValue={text}
      onInputChange={setText}
      selectedKey={value || null}
      onSelectionChange={(key) => key !== null && choose(String(key))}
      defaultFilter={() => true}
      allowsEmptyCollection={false}
      allowsCustomValue
      onBlur={() => setText(name)}
      menuTrigger="input"
      isInvalid={error !== undefined}
      {...{ isRequired, isDisabled, autoFocus }}
    >
      <Label className="field-label">{label}</Label>
      <Input className="field-input" placeholder={placeholder ?? ''} onKeyDown={onKeyDown} onInput={onInput} />
      {note && !error && <Text slot="description" className="field-note">{note}</Text>}
      <FieldError className="field-error">{error}</FieldError>
      <Popover className="field-options" offset={3}>
        <ListBox<Option>>
          {(option) => (
            <ListBoxItem id={option.id} textValue={option.name} className="field-option">
              <bdi className="truncate">{option.name}</bdi>
              <span className="muted field-note">{option.detail}</span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
