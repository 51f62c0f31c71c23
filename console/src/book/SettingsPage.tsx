import { useMemo, useState, type FormEvent } from 'react';
import { useHeaderInfo } from '~/frame/headerInfo';
import { propertyChanges, shownProperties } from '~/lib/properties';
import { ExportSection } from '~/export/ExportSection';
import { Button } from '~/ui/Button';
import { Loading } from '~/ui/EmptyState';
import { ChoiceField } from '~/ui/fields/ChoiceField';
import { DateField } from '~/ui/fields/DateField';
import { TextField } from '~/ui/fields/Field';
import { Icon } from '~/ui/Icon';
import { PropertiesField } from '~/ui/PropertiesField';
import { useEdits } from '~/ui/useEdits';
import '~/ui/page.css';
import { useUpdateBook } from './actions';
import { CopySection } from './CopySection';
import { DeleteSection } from './DeleteSection';
import { DIGIT_CHOICES, MONTH_CHOICES, nameError, PATTERN_CHOICES, SEPARATOR_CHOICES, toBody, toForm, zoneChoices, type BookForm } from './form';
import { useBookSettings } from './queries';
import { useBook } from './types';

/** The settings of a book, downloading, copying and deleting it. */
export default function SettingsPage() {
  const { id, book, can } = useBook();
  useHeaderInfo({ title: 'Settings' });
  const settings = useBookSettings(id);
  return (
    <div className="page">
      {!can('EDITOR') && <p className="notice page-lead"><Icon name="warning" /> Only editors and the owner change settings. You can look at them and copy the book.</p>}
      {settings.data ? <SettingsForm {...settings.data} /> : <Loading label="Loading the settings" />}
      <ExportSection />
      <CopySection book={book} />
      {can('OWNER') && <DeleteSection book={book} />}
    </div>
  );
}

type Settings = NonNullable<ReturnType<typeof useBookSettings>['data']>;

function SettingsForm({ book, etag }: Settings) {
  const { id, can, day } = useBook();
  const isDisabled = !can('EDITOR');
  const saved = useMemo(() => toForm(book), [book]);
  const { values, changed, conflicts, set, reset } = useEdits(saved);
  const savedRows = useMemo(() => shownProperties(book.properties, ['currency']), [book]);
  const [rows, setRows] = useState<readonly (readonly [string, string])[]>();
  const update = useUpdateBook(id);
  const zones = useMemo(zoneChoices, []);
  const properties = rows ? propertyChanges(Object.fromEntries(savedRows), rows) : {};
  const isChanged = changed.length > 0 || Object.keys(properties).length > 0;
  const error = nameError(values.name);

  const field = (name: keyof BookForm, shown: (value: string) => string = (value) => value) => ({
    value: values[name],
    onChange: (value: string) => set(name, value),
    isDisabled,
    error: conflicts.includes(name) ? `Someone else changed it to ${shown(saved[name]) || 'nothing'}. Saving replaces that.` : undefined,
  });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (error || !isChanged || update.isPending) return;
    const body = toBody(values, changed);
    const before = toBody(saved, changed);
    const former = Object.fromEntries(Object.keys(properties).map((key) => [key, book.properties?.[key] ?? '']));
    const done = await update.run({
      body: { ...body, properties: { ...body.properties, ...properties } },
      before: { ...before, properties: { ...before.properties, ...former } },
      etag,
    });
    if (!done) return;
    reset();
    setRows(undefined);
  };
  return (
    <form noValidate onSubmit={submit} aria-label="Settings of the book">
      <div className="page-form">
        <TextField label="Name" {...field('name')} isRequired error={error ?? field('name').error} />
        <TextField label="Currency" {...field('currency')} note="Shown in headings and prints." />
        <ChoiceField label="Decimals" {...field('fractionDigits')} choices={DIGIT_CHOICES} note={Number(values.fractionDigits) < Number(saved.fractionDigits) ? 'Amounts with more decimals keep their value and show it.' : undefined} />
        <ChoiceField label="Amounts" {...field('decimalSeparator')} choices={SEPARATOR_CHOICES} />
        <ChoiceField label="Dates" {...field('datePattern')} choices={PATTERN_CHOICES} />
        <ChoiceField label="Time zone" {...field('timeZone')} choices={zones} />
        <ChoiceField label="Fiscal year begins in" {...field('periodStartMonth')} choices={MONTH_CHOICES} />
        <DateField label="Locked up to" {...field('lockDate', day)} note="Nothing changes up to this day. Empty means no lock." />
        <DateField label="Closed up to" {...field('closingDate', day)} note="The end of the last closed period. It locks like the other date." />
        <div className="is-whole">
          <PropertiesField label="Other properties" rows={rows ?? savedRows} onChange={setRows} isDisabled={isDisabled} />
        </div>
      </div>
      {!isDisabled && (
        <p className="page-actions settings-actions">
          <Button type="submit" look="primary" isDisabled={!isChanged || Boolean(error) || update.isPending}>Save settings</Button>
          {isChanged && <Button look="ghost" onPress={() => { reset(); setRows(undefined); }}>Discard changes</Button>}
        </p>
      )}
    </form>
  );
}
