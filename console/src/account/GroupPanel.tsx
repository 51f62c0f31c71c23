import { useMemo, useState, type FormEvent } from 'react';
import type { Group } from '~/api/types';
import { sentence } from '~/api/problem';
import { nameError } from '~/book/form';
import { groupPath } from '~/book/paths';
import { useBook } from '~/book/types';
import type { PanelProps } from '~/frame/registry';
import { propertyChanges, shownProperties } from '~/lib/properties';
import { Button } from '~/ui/Button';
import { Loading } from '~/ui/EmptyState';
import { CheckField, ChoiceField, type Choice } from '~/ui/fields/ChoiceField';
import { TextField } from '~/ui/fields/Field';
import { Link } from '~/ui/Link';
import { PropertiesField } from '~/ui/PropertiesField';
import { SidePanel } from '~/ui/SidePanel';
import { useEdits } from '~/ui/useEdits';
import { groupChoices } from './batch';
import { useCreateGroup, useDeleteGroup, useUpdateGroup } from './groupActions';
import { useGroup } from './queries';
import './panels.css';

interface Form {
  readonly name: string;
  readonly parent: string;
  readonly report: string;
  readonly hidden: boolean;
}

const REPORTS: readonly Choice[] = [
  { value: '', label: 'By the types of its accounts' },
  { value: 'equity', label: 'As equity' },
  { value: 'cash', label: 'As cash in the cash flow' },
];

const toForm = (group: Group): Form => ({
  name: group.name ?? '', parent: group.parent?.id ?? '', report: group.properties?.['report'] ?? '', hidden: group.hidden ?? false,
});

function toBody(form: Form, fields: readonly (keyof Form)[], properties: Record<string, string>): Group {
  const has = (field: keyof Form) => fields.includes(field);
  return {
    ...(has('name') ? { name: form.name.trim() } : {}),
    ...(has('parent') ? { parent: form.parent ? { id: form.parent } : null } : {}),
    ...(has('hidden') ? { hidden: form.hidden } : {}),
    properties: { ...properties, ...(has('report') ? { report: form.report } : {}) },
  } as Group;
}

/** Creates a group (`group:new`) or changes one. */
export default function GroupPanel({ id, close }: PanelProps) {
  return id === 'new' ? <GroupForm key="new" group={{}} etag={undefined} close={close} /> : <Existing key={id} id={id} close={close} />;
}

function Existing({ id, close }: PanelProps) {
  const { data, error } = useGroup(id);
  if (data) return <GroupForm {...data} close={close} />;
  return <SidePanel title="Group" onClose={close}>{error ? <p>{sentence(error)}</p> : <Loading label="Loading the group" />}</SidePanel>;
}

function GroupForm({ group, etag, close }: { readonly group: Group; readonly etag: string | undefined; readonly close: () => void }) {
  const { id: bookId, groups, can } = useBook();
  const isNew = !group.id;
  const isDisabled = !can('EDITOR');
  const saved = useMemo(() => toForm(group), [group]);
  const { values, changed, conflicts, set, reset } = useEdits(saved);
  const savedRows = useMemo(() => shownProperties(group.properties, ['report']), [group]);
  const [rows, setRows] = useState<readonly (readonly [string, string])[]>();
  const [isSubmitted, setSubmitted] = useState(false);
  const create = useCreateGroup();
  const update = useUpdateGroup();
  const remove = useDeleteGroup();
  const parents = useMemo(() => groupChoices(groups, group.id).map(({ id, label }) => ({ value: id, label })), [groups, group.id]);
  const properties = rows ? propertyChanges(Object.fromEntries(savedRows), rows) : {};
  const isChanged = changed.length > 0 || Object.keys(properties).length > 0;
  const isPending = create.isPending || update.isPending;
  const error = nameError(values.name);
  const conflict = (field: keyof Form) => (conflicts.includes(field) ? 'Someone else changed this. Saving replaces it.' : undefined);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (error || !isChanged || isPending) return;
    const body = toBody(values, changed, properties);
    const former = Object.fromEntries(Object.keys(properties).map((key) => [key, group.properties?.[key] ?? '']));
    const before = { ...toBody(saved, changed, former), id: group.id! };
    const done = isNew ? await create.run(body) : await update.run({ name: values.name.trim(), body: { ...body, id: group.id! }, before, etag });
    if (!done) return;
    reset();
    setRows(undefined);
    if (isNew) close();
  };
  return (
    <SidePanel title={isNew ? 'New group' : <bdi>{group.name}</bdi>} onClose={close}>
      {!isNew && <p className="panel-note"><Link to={groupPath(bookId, group.id!)}>Open its transactions</Link></p>}
      <form noValidate className="panel-form" onSubmit={submit} aria-label="Group">
        <TextField label="Name" value={values.name} onChange={(value) => set('name', value)} isDisabled={isDisabled} autoFocus={isNew} error={(isSubmitted || !isNew ? error : undefined) ?? conflict('name')} />
        <ChoiceField label="Below" value={values.parent} onChange={(value) => set('parent', value)} choices={[{ value: '', label: 'At the top' }, ...parents]} isDisabled={isDisabled} error={conflict('parent')} />
        <ChoiceField label="In reports" value={values.report} onChange={(value) => set('report', value)} choices={REPORTS} isDisabled={isDisabled} error={conflict('report')} />
        <CheckField label="Hidden" value={values.hidden} onChange={(value) => set('hidden', value)} isDisabled={isDisabled} note="Leaves it out of the sidebar. Its accounts keep working." />
        <PropertiesField label="Other properties" rows={rows ?? savedRows} onChange={setRows} isDisabled={isDisabled} />
        {!isDisabled && <Button type="submit" look="primary" isDisabled={(!isChanged && !isNew) || isPending}>{isNew ? 'Create group' : 'Save'}</Button>}
      </form>
      {!isNew && !isDisabled && (
        <section className="panel-section">
          <Button look="danger" isDisabled={remove.isPending} onPress={() => void remove.run(group).then((done) => done && close())}>Delete group</Button>
          <p className="muted">Its accounts stay, and the groups below it move up.</p>
        </section>
      )}
    </SidePanel>
  );
}
