import { useEffect, useRef, useState, type FormEvent } from 'react';
import type { Book } from '~/api/types';
import { navigate, useQueryState } from '~/lib/router';
import { Button } from '~/ui/Button';
import { CheckField } from '~/ui/fields/ChoiceField';
import { DateField } from '~/ui/fields/DateField';
import { TextField } from '~/ui/fields/Field';
import { useCopyBook } from './actions';
import { nameError } from './form';
import { bookHomePath } from './paths';

/** Copies the book. The owner may take the transactions along, from a day on with opening balances. */
export function CopySection({ book }: { readonly book: Book }) {
  const isOwner = book.permission === 'OWNER';
  const [name, setName] = useState(`Copy of ${book.name}`);
  const [withTransactions, setWithTransactions] = useState(false);
  const [fromDate, setFromDate] = useState('');
  const copy = useCopyBook();
  const section = useRef<HTMLElement>(null);
  const [part] = useQueryState('part');
  useEffect(() => {
    if (part !== 'copy') return;
    section.current?.scrollIntoView({ block: 'center' });
    section.current?.querySelector('input')?.focus();
  }, [part]);
  const error = nameError(name);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (error || copy.isPending) return;
    const created = await copy.run({ book, name: name.trim(), withTransactions: isOwner && withTransactions, fromDate });
    if (created) navigate(bookHomePath(created.id!));
  };
  return (
    <section ref={section}>
      <h2>Copy</h2>
      <p className="muted page-lead">A copy has the settings, accounts, groups and pinned queries. It is yours, and nobody else sees it.</p>
      <form noValidate className="page-form" onSubmit={submit} aria-label="Copy the book">
        <TextField label="Name of the copy" value={name} onChange={setName} error={error} />
        {isOwner && (
          <div className="is-whole">
            <CheckField label="With transactions" value={withTransactions} onChange={setWithTransactions} note="Without events, files and what is in the trash." />
          </div>
        )}
        {withTransactions && (
          <DateField label="Transactions from" value={fromDate} onChange={setFromDate} note="Empty takes all. Otherwise each account starts with its opening balance." />
        )}
        <p className="page-actions is-whole"><Button type="submit" isDisabled={Boolean(error) || copy.isPending}>Copy book</Button></p>
      </form>
    </section>
  );
}
