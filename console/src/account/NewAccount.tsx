import { useState, type FormEvent } from 'react';
import type { Account } from '~/api/types';
import { accountPath } from '~/book/paths';
import { nameError } from '~/book/form';
import { useBook } from '~/book/types';
import { isZero, type Decimal } from '~/lib/money';
import { Button } from '~/ui/Button';
import { AmountField } from '~/ui/fields/AmountField';
import { ChoiceField } from '~/ui/fields/ChoiceField';
import { DateField } from '~/ui/fields/DateField';
import { TextField } from '~/ui/fields/Field';
import { Link } from '~/ui/Link';
import { SidePanel } from '~/ui/SidePanel';
import { useCreateAccounts, useRecordOpenings } from './actions';
import { readNames } from './batch';
import { GroupsField } from './GroupsField';
import { TYPE_CHOICES } from './types';

/** Creates one account with an opening balance, or several of the same type. */
export function NewAccount({ groupId, close }: { readonly groupId: string; readonly close: () => void }) {
  const { id: bookId, groupById, today } = useBook();
  const group = groupById.get(groupId);
  const [names, setNames] = useState('');
  const [type, setType] = useState<string>(group?.type ?? 'ASSET');
  const [groups, setGroups] = useState<readonly string[]>(group ? [groupId] : []);
  const [balance, setBalance] = useState<Decimal>();
  const [date, setDate] = useState(today);
  const [isSubmitted, setSubmitted] = useState(false);
  const [created, setCreated] = useState<readonly Account[]>([]);
  const [round, setRound] = useState(0);
  const create = useCreateAccounts();
  const openings = useRecordOpenings();
  const list = readNames(names);
  const error = list.length === 0 ? nameError('') : list.map(nameError).find(Boolean);
  const isPermanent = type === 'ASSET' || type === 'LIABILITY';
  const withOpening = isPermanent && list.length <= 1;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (error || create.isPending || openings.isPending) return;
    const items = list.map((name): Account => ({ name, type: type as NonNullable<Account['type']>, groups: groups.map((id) => ({ id })) }));
    const made = await create.run(items);
    if (!made) return;
    setCreated(made);
    if (withOpening && balance && !isZero(balance) && date && made[0]) await openings.run([{ account: made[0], balance, date }]);
    setNames('');
    setBalance(undefined);
    setSubmitted(false);
    setRound((old) => old + 1);
  };
  return (
    <SidePanel title="New account" onClose={close}>
      <form noValidate className="panel-form" onSubmit={submit} aria-label="New account">
        <TextField key={round} label="Name" value={names} onChange={setNames} autoFocus isMultiline note="Several accounts: one name a line." error={isSubmitted ? error : undefined} />
        <ChoiceField label="Type" value={type} onChange={setType} choices={TYPE_CHOICES} />
        <GroupsField value={groups} onChange={setGroups} />
        {withOpening && (
          <>
            <AmountField key={`b${round}`} label={type === 'LIABILITY' ? 'Opening balance, what you owe' : 'Opening balance'} value={balance} onChange={setBalance} note="Recorded against the account Opening balances." />
            <DateField label="On" value={date} onChange={setDate} />
          </>
        )}
        <Button type="submit" look="primary" isDisabled={create.isPending || openings.isPending}>{list.length > 1 ? `Create ${list.length} accounts` : 'Create account'}</Button>
      </form>
      {created.length > 0 && (
        <p className="panel-note" role="status">
          Created {created.map(({ id, name }, index) => <span key={id}>{index > 0 && ', '}<Link to={accountPath(bookId, id!)}><bdi>{name}</bdi></Link></span>)}
        </p>
      )}
    </SidePanel>
  );
}
