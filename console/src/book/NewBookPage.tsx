import { useMemo, useState, type FormEvent } from 'react';
import { useHeaderInfo } from '~/frame/headerInfo';
import { toProperties } from '~/lib/properties';
import { navigate, useQueryState } from '~/lib/router';
import { Button } from '~/ui/Button';
import { ChoiceField } from '~/ui/fields/ChoiceField';
import { TextField } from '~/ui/fields/Field';
import { Link } from '~/ui/Link';
import '~/ui/page.css';
import { useCreateBook } from './actions';
import { DIGIT_CHOICES, localeDefaults, nameError, PATTERN_CHOICES, SEPARATOR_CHOICES, toBody, toForm, zoneChoices, type BookForm } from './form';
import { bookHomePath } from './paths';
import { useTemplates } from './queries';
import { TemplateCards } from './TemplateCards';

const FIELDS = ['name', 'currency', 'fractionDigits', 'decimalSeparator', 'datePattern', 'timeZone'] as const;

function initialForm(): BookForm {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const { currency, ...formats } = localeDefaults(navigator.language, timeZone);
  return toForm({ ...formats, properties: { currency } } as Parameters<typeof toForm>[0]);
}

/** Creates a book, with a starter chart or empty. */
export default function NewBookPage() {
  useHeaderInfo({ title: 'New book' });
  const { data: templates } = useTemplates();
  const [wanted, setWanted] = useQueryState('template');
  const [form, setForm] = useState(initialForm);
  const [isSubmitted, setSubmitted] = useState(false);
  const create = useCreateBook();
  const zones = useMemo(zoneChoices, []);
  const template = templates?.find(({ name }) => name === wanted);
  const set = (field: keyof BookForm) => (value: string) => setForm((old) => ({ ...old, [field]: value }));
  const error = nameError(form.name);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (error || create.isPending) return;
    const body = toBody(form, FIELDS);
    // Properties of the template stay unless the form sets them.
    const book = await create.run({ ...template?.book, ...body, properties: { ...toProperties(template?.book.properties), ...body.properties } });
    if (book) navigate(bookHomePath(book.id!));
  };
  return (
    <form noValidate className="page" onSubmit={submit} aria-label="New book">
      <section className="page-form">
        <TextField label="Name" value={form.name} onChange={set('name')} autoFocus isRequired placeholder="Household" error={isSubmitted ? error : undefined} />
        <TextField label="Currency" value={form.currency} onChange={set('currency')} placeholder="EUR" note="Shown in headings and prints. A book has one currency." />
        <ChoiceField label="Decimals" value={form.fractionDigits} onChange={set('fractionDigits')} choices={DIGIT_CHOICES} />
        <ChoiceField label="Amounts" value={form.decimalSeparator} onChange={set('decimalSeparator')} choices={SEPARATOR_CHOICES} />
        <ChoiceField label="Dates" value={form.datePattern} onChange={set('datePattern')} choices={PATTERN_CHOICES} />
        <ChoiceField label="Time zone" value={form.timeZone} onChange={set('timeZone')} choices={zones} note="It decides which day is today." />
      </section>
      {templates && templates.length > 0 && (
        <section>
          <h2>Start from</h2>
          <p className="muted page-lead">A starter chart has accounts and groups. You can rename, add and remove them later.</p>
          <TemplateCards templates={templates} selected={template?.name ?? ''} onChoose={(name) => setWanted(name || null, { replace: true })} withEmpty />
        </section>
      )}
      <section className="page-actions">
        <Button type="submit" look="primary" isDisabled={create.isPending}>Create book</Button>
        <Link to="/books">Cancel</Link>
      </section>
    </form>
  );
}
