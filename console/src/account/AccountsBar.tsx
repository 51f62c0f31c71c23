import { useMemo } from 'react';
import type { Account } from '~/api/types';
import { useBook } from '~/book/types';
import { Button } from '~/ui/Button';
import { ChoiceField } from '~/ui/fields/ChoiceField';
import { useShortcut } from '~/ui/shortcuts';
import { useChangeAccounts, useDeleteAccounts } from './actions';
import { groupChoices } from './batch';
import { TYPE_LIST, typeName } from './types';

const NONE = 'none';

/** What can be done with the selected accounts, each by one request. */
export function AccountsBar({ accounts, clear }: { readonly accounts: readonly Account[]; readonly clear: () => void }) {
  const { groups, groupById, can } = useBook();
  const change = useChangeAccounts();
  const remove = useDeleteAccounts();
  const choices = useMemo(() => groupChoices(groups).map(({ id, label }) => ({ value: id, label })), [groups]);
  const isArchived = accounts.every(({ archived }) => archived);
  const finish = (done: unknown) => {
    if (done) clear();
  };
  const move = (to: string) => {
    if (!to) return;
    const verb = to === NONE ? 'Took out of all groups:' : `Moved to ${groupById.get(to)?.name}:`;
    void change.run({ accounts, change: { groups: to === NONE ? [] : [to] }, verb }).then(finish);
  };
  const setType = (type: string) => {
    if (type) void change.run({ accounts, change: { type: type as NonNullable<Account['type']> }, verb: `Made ${typeName(type).toLowerCase()}:` }).then(finish);
  };
  const archive = () => void change.run({ accounts, change: { archived: !isArchived }, verb: isArchived ? 'Reopened' : 'Archived' }).then(finish);
  const erase = () => void remove.run(accounts).then(finish);
  useShortcut('trash', erase, can('EDITOR'));
  return (
    <div className="page-bar accounts-bar" role="region" aria-label="Selection">
      <strong>{accounts.length} {accounts.length === 1 ? 'account' : 'accounts'}</strong>
      {can('EDITOR') && (
        <>
          <ChoiceField label="Move to" isCompact value="" onChange={move} choices={[{ value: '', label: 'Move to' }, { value: NONE, label: 'No group' }, ...choices]} />
          <ChoiceField label="Change type" isCompact value="" onChange={setType} choices={[{ value: '', label: 'Change type' }, ...TYPE_LIST]} />
          <Button onPress={archive}>{isArchived ? 'Reopen' : 'Archive'}</Button>
          <Button look="danger" shortcut="trash" onPress={erase}>Delete</Button>
        </>
      )}
      <Button look="ghost" onPress={clear}>Clear</Button>
    </div>
  );
}
