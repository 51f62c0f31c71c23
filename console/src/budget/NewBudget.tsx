import { useState, type FormEvent } from 'react';
import { useBooks } from '~/book/queries';
import { nameError } from '~/book/form';
import { useBook } from '~/book/types';
import type { Period } from '~/lib/dates';
import { navigate, withParams } from '~/lib/router';
import { Button } from '~/ui/Button';
import { CheckField, ChoiceField } from '~/ui/fields/ChoiceField';
import { TextField } from '~/ui/fields/Field';
import { useCreateBudget, useLinkBudget } from './actions';

/** What a budget is, and how one begins: with a copy of the structure, or with a book that exists. */
export function NewBudget({ period }: { readonly period: Period }) {
  const { id, book } = useBook();
  const { data: books } = useBooks();
  const [name, setName] = useState(`Budget of ${book.name}`);
  const [fills, setFills] = useState(true);
  const [existing, setExisting] = useState('');
  const create = useCreateBudget();
  const link = useLinkBudget();
  const error = nameError(name);
  const others = (books ?? []).filter((other) => other.id !== id && (other.permission === 'OWNER' || other.permission === 'EDITOR'));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (error || create.isPending) return;
    const budget = await create.run(name.trim());
    if (budget) navigate(withParams({ budget: budget.id, fill: fills ? 'last-year' : null, period: period.text }), { replace: true });
  };
  const use = (budgetId: string) => {
    setExisting(budgetId);
    const budget = others.find((other) => other.id === budgetId);
    if (budget) void link.run(budget);
  };
  return (
    <div className="page budget-new">
      <section>
        <h2>Plan your months</h2>
        <p className="muted page-lead">
          A budget says how much each account should take in or spend in a month. It is a book of its own with the same accounts, so every report can compare the two.
        </p>
        <form noValidate className="page-form" aria-label="New budget" onSubmit={(event) => void submit(event)}>
          <TextField label="Name of the budget's book" value={name} onChange={setName} error={error} />
          <div className="is-whole"><CheckField label="Begin with last year's figures" note="Each month takes what the same month had. You can change every cell." value={fills} onChange={setFills} /></div>
          <p className="page-actions is-whole"><Button type="submit" look="primary" isDisabled={Boolean(error) || create.isPending}>Create the budget</Button></p>
        </form>
      </section>
      {others.length > 0 && (
        <section>
          <h2>Or use a book you have</h2>
          <div className="page-form">
            <ChoiceField
              label="Book with the plan"
              value={existing}
              onChange={use}
              choices={[{ value: '', label: 'Choose a book' }, ...others.map((other) => ({ value: other.id!, label: other.name! }))]}
            />
          </div>
        </section>
      )}
    </div>
  );
}
