import { useState, type FormEvent } from 'react';
import type { Account } from '~/api/types';
import { useBook } from '~/book/types';
import { TYPE_NAMES, TYPE_ORDER, type AccountType } from '~/lib/signs';
import { Button } from '~/ui/Button';
import { TextField } from '~/ui/fields/Field';
import { useCreateAccount } from './actions';
import { ChoiceField } from '~/ui/fields/ChoiceField';

/** Creates an account without leaving the entry. */
export function NewAccount({ name: suggested, side, onDone }: {
  readonly name: string;
  readonly side: 'from' | 'to';
  /** Gets the account, or undefined when it was not created. */
  readonly onDone: (account: Account | undefined) => void;
}) {
  const { groups } = useBook();
  const [name, setName] = useState(suggested);
  const [type, setType] = useState<AccountType>(side === 'from' ? 'ASSET' : 'OUTGOING');
  const [group, setGroup] = useState('');
  const create = useCreateAccount();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (!name.trim() || create.isPending) return;
    const account = await create.run({ name: name.trim(), type, group });
    if (account) onDone(account);
  };
  return (
    <form
      noValidate
      className="entry-account"
      aria-label="New account"
      onSubmit={(event) => void submit(event)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onDone(undefined);
      }}
    >
      <TextField label="Name of the new account" value={name} onChange={setName} autoFocus />
      <ChoiceField label="Type" value={type} onChange={setType} choices={TYPE_ORDER.map((value) => ({ value, label: TYPE_NAMES[value] }))} />
      {groups.length > 0 && <ChoiceField label="Group" value={group} onChange={setGroup} choices={[{ value: '', label: 'none' }, ...groups.map(({ id, name: label }) => ({ value: id!, label: label! }))]} />}
      <Button type="submit" look="primary" isDisabled={!name.trim()}>Create</Button>
      <Button onPress={() => onDone(undefined)}>Cancel</Button>
    </form>
  );
}
