import { useMemo, useState, type FormEvent } from 'react';
import type { Account } from '~/api/types';
import { nameError } from '~/book/form';
import { accountPath } from '~/book/paths';
import { useBook } from '~/book/types';
import { parseDecimal, toPlain } from '~/lib/money';
import { propertyChanges, shownProperties } from '~/lib/properties';
import { Button } from '~/ui/Button';
import { AmountField } from '~/ui/fields/AmountField';
import { CheckField, ChoiceField } from '~/ui/fields/ChoiceField';
import { TextField } from '~/ui/fields/Field';
import { Link } from '~/ui/Link';
import { PropertiesField } from '~/ui/PropertiesField';
import { SidePanel } from '~/ui/SidePanel';
import { useEdits } from '~/ui/useEdits';
import { useDeleteAccounts, useUpdateAccount } from './actions';
import { GroupsField } from './GroupsField';
import { hasOpening } from './opening';
import { OpeningForm } from './OpeningForm';
import { TYPE_CHOICES } from './types';

/** What the form edits, with texts for lists so that values compare. */
interface Form {
  readonly name: string;
  readonly type: string;
  readonly groups: string;
  readonly archived: boolean;
  readonly minBalance: string;
}

const toForm = (account: Account): Form => ({
  name: account.name ?? '',
  type: account.type ?? 'ASSET',
  groups: (account.groups ?? []).map(({ id }) => id).join(' '),
  archived: account.archived ?? false,
  minBalance: account.minBalance ?? '',
});

const groupIds = (text: string): readonly string[] => text.split(' ').filter(Boolean);

function toBody(form: Form, fields: readonly (keyof Form)[]): Partial<Account> {
  const all: Partial<Account> = {
    name: form.name.trim(), type: form.type as NonNullable<Account['type']>, archived: form.archived, minBalance: form.minBalance, groups: groupIds(form.groups).map((id) => ({ id })),
  };
  return Object.fromEntries(fields.map((field) => [field, all[field]]));
}

/** Changes an account: name, type, groups, archiving, least balance and properties. */
export function EditAccount({ account, etag, close }: { readonly account: Account; readonly etag: string | undefined; readonly close: () => void }) {
  const { id: bookId, can } = useBook();
  const isDisabled = !can('EDITOR');
  const saved = useMemo(() => toForm(account), [account]);
  const { values, changed, conflicts, set, reset } = useEdits(saved);
  const savedRows = useMemo(() => shownProperties(account.properties), [account]);
  const [rows, setRows] = useState<readonly (readonly [string, string])[]>();
  const update = useUpdateAccount();
  const remove = useDeleteAccounts();
  const properties = rows ? propertyChanges(Object.fromEntries(savedRows), rows) : {};
  const isChanged = changed.length > 0 || Object.keys(properties).length > 0;
  const error = nameError(values.name);
  const conflict = (field: keyof Form, theirs: string) => (conflicts.includes(field) ? `Someone else changed it to ${theirs || 'nothing'}. Saving replaces that.` : undefined);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (error || !isChanged || update.isPending) return;
    const former = Object.fromEntries(Object.keys(properties).map((key) => [key, account.properties?.[key] ?? '']));
    const done = await update.run({
      name: values.name.trim(),
      body: { ...toBody(values, changed), id: account.id!, properties },
      before: { ...toBody(saved, changed), id: account.id!, properties: former },
      etag,
    });
    if (!done) return;
    reset();
    setRows(undefined);
  };
  const canDelete = !account.hasTransactionPosted;
  return (
    <SidePanel title={<bdi>{account.name}</bdi>} onClose={close}>
      <p className="panel-note"><Link to={accountPath(bookId, account.id!)}>Open the register</Link></p>
      <form noValidate className="panel-form" onSubmit={submit} aria-label="Account">
        <TextField label="Name" value={values.name} onChange={(value) => set('name', value)} isDisabled={isDisabled} error={error ?? conflict('name', saved.name)} />
        <ChoiceField label="Type" value={values.type} onChange={(value) => set('type', value)} choices={TYPE_CHOICES} isDisabled={isDisabled} error={conflict('type', saved.type)} note={values.type !== saved.type ? 'Balances and transactions stay; signs and reports follow the type.' : undefined} />
        <GroupsField value={groupIds(values.groups)} onChange={(ids) => set('groups', ids.join(' '))} isDisabled={isDisabled} />
        <AmountField
          label="Never below"
          value={values.minBalance ? parseDecimal(values.minBalance) : undefined}
          onChange={(value) => set('minBalance', value ? toPlain(value) : '')}
          isDisabled={isDisabled}
          note="Refuses what would lower the account below this balance. Empty means no limit."
        />
        <CheckField label="Archived" value={values.archived} onChange={(value) => set('archived', value)} isDisabled={isDisabled} note="Keeps its balance and accepts no new transactions." />
        <PropertiesField label="Properties" rows={rows ?? savedRows} onChange={setRows} isDisabled={isDisabled} />
        {!isDisabled && <Button type="submit" look="primary" isDisabled={!isChanged || Boolean(error) || update.isPending}>Save</Button>}
      </form>
      {!isDisabled && hasOpening(account) && !account.archived && <OpeningForm account={account} />}
      {!isDisabled && (
        <section className="panel-section">
          <Button look="danger" isDisabled={remove.isPending} onPress={() => void remove.run([account]).then((done) => done && close())}>Delete account</Button>
          {!canDelete && <p className="muted">It has posted transactions, so the server keeps it. Archive it instead.</p>}
        </section>
      )}
    </SidePanel>
  );
}
