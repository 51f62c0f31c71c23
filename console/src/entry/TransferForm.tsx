import { useEffect, useRef, useState, type FormEvent } from 'react';
import { bookChanged, keys, queryClient } from '~/api/cache';
import { api, newKey } from '~/api/client';
import { BookProvider } from '~/book/BookProvider';
import { transactionsPath } from '~/book/paths';
import { currencyOf, useBooks } from '~/book/queries';
import { useBook } from '~/book/types';
import { compare, toPlain, ZERO, type Decimal } from '~/lib/money';
import { term } from '~/lib/query';
import { Button } from '~/ui/Button';
import { AccountField } from '~/ui/fields/AccountField';
import { AmountField } from '~/ui/fields/AmountField';
import { DateField } from '~/ui/fields/DateField';
import { TextField } from '~/ui/fields/Field';
import { Link } from '~/ui/Link';
import { useAction } from '~/ui/actions';
import { ChoiceField } from '~/ui/fields/ChoiceField';
import { runTransfer, transferRate, type Half, type TransferState } from './transfer';
import './EntryForm.css';

interface Sides {
  readonly from: string;
  readonly to: string;
  readonly amount: Decimal | undefined;
}

const EMPTY: Sides = { from: '', to: '', amount: undefined };

const trash = (bookId: string, id: string, idempotencyKey: string) =>
  api.patch('/v5/books/{bookId}/transactions/trash', { path: { bookId }, body: { id }, idempotencyKey });

/** Money that leaves this book and enters another one: a half in each, with the rate where they differ. */
export function TransferForm({ onForm, onClose }: { readonly onForm: () => void; readonly onClose: () => void }) {
  const { id: bookId, today, currency, book } = useBook();
  const others = (useBooks().data ?? []).filter((other) => other.id !== bookId && ['POSTER', 'EDITOR', 'OWNER'].includes(other.permission ?? ''));
  const [date, setDate] = useState(today);
  const [description, setDescription] = useState('');
  const [otherId, setOtherId] = useState('');
  const [here, setHere] = useState(EMPTY);
  const [there, setThere] = useState(EMPTY);
  const [done, setDone] = useState<{ readonly bookId: string; readonly entryId: string }>();
  const [error, setError] = useState<string>();
  const state = useRef<TransferState>({ key: '', recorded: undefined });
  const root = useRef<HTMLFormElement>(null);
  useEffect(() => root.current?.querySelector<HTMLElement>('select')?.focus(), [others.length]);
  // A book that was created or shared a moment ago is offered too.
  useEffect(() => void queryClient.invalidateQueries({ queryKey: keys.books }), []);
  const other = others.find(({ id }) => id === otherId);
  const received = there.amount ?? here.amount;
  const rate = here.amount && received && compare(here.amount, received) !== 0 ? transferRate(here.amount, received) : '';

  const action = useAction({
    bookId,
    done: () => `Transferred to ${other?.name ?? 'the other book'}`,
    run: (halves: readonly [Half, Half]) => {
      if (!state.current.key) state.current = { key: newKey(), recorded: undefined };
      return runTransfer(halves[0], halves[1], state.current, {
        trash,
        onState: (next) => { state.current = next; },
        create: async ({ bookId: target, transaction }, idempotencyKey) =>
          (await api.post('/v5/books/{bookId}/transactions', { path: { bookId: target }, body: transaction, idempotencyKey })).data.transaction,
      });
    },
    undo: async (halves, [first, second], key) => {
      await trash(halves[0].bookId, first.id!, `${key}a`);
      await trash(halves[1].bookId, second.id!, `${key}b`);
      bookChanged(halves[1].bookId);
    },
  });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (action.isPending) return;
    if (!otherId) return setError('Choose the other book.');
    if (!date || !here.from || !here.to || !there.from || !there.to) return setError('Both halves need a date and two accounts.');
    if (!here.amount || !received || compare(here.amount, ZERO) <= 0 || compare(received, ZERO) <= 0) return setError('The amount must be above zero.');
    setError(undefined);
    const entryId = state.current.key || newKey();
    if (!state.current.key) state.current = { key: entryId, recorded: undefined };
    const half = (sides: Sides, amount: Decimal, from: string, to: string) => ({
      date, description, amount: toPlain(amount), creditAccount: { id: sides.from }, debitAccount: { id: sides.to },
      properties: { entry_id: entryId, transfer_from_book: from, transfer_to_book: to, ...(rate ? { rate } : {}) },
    });
    const result = await action.run([
      { bookId, transaction: half(here, here.amount, bookId, otherId) },
      { bookId: otherId, transaction: half(there, received, bookId, otherId) },
    ]);
    if (!result) return;
    bookChanged(otherId);
    state.current = { key: '', recorded: undefined };
    setDone({ bookId: otherId, entryId });
    setHere({ ...here, amount: undefined });
    setThere({ ...there, amount: undefined });
    setDescription('');
  };
  if (others.length === 0) {
    return (
      <div className="entry-actions">
        <p className="muted">There is no other book in which you may record. Create one, or ask for permission.</p>
        <Button onPress={onForm}>Form</Button> <Button onPress={onClose}>Close</Button>
      </div>
    );
  }
  return (
    <form ref={root} className="entry-transfer" aria-label="Transfer to another book" noValidate onSubmit={(event) => void submit(event)} onKeyDown={(event) => event.key === 'Escape' && !event.defaultPrevented && onClose()}>
      <ChoiceField label="Other book" value={otherId} onChange={(id) => { setOtherId(id); setThere(EMPTY); }} choices={[{ value: '', label: 'choose' }, ...others.map(({ id, name }) => ({ value: id!, label: name! }))]} />
      <DateField label="Date" value={date} onChange={setDate} />
      <TextField label="Description" value={description} onChange={setDescription} />
      <HalfFields title={`In ${book.name}`} currency={currency} sides={here} onChange={setHere} key={`here ${done?.entryId}`} />
      {other && (
        <BookProvider bookId={otherId} key={`${otherId} ${done?.entryId}`}>
          <HalfFields title={`In ${other.name}`} currency={currencyOf(other)} sides={there} onChange={setThere} placeholder="the same" />
        </BookProvider>
      )}
      <div className="entry-actions">
        <p role="status">
          {error ? <span className="entry-warning">{error}</span> : rate ? <span className="muted">Rate {rate}</span> : done ? (
            <Link to={transactionsPath(done.bookId, term('entry_id', done.entryId))}>Open the half in the other book</Link>
          ) : null}
        </p>
        <span className="entry-space" />
        <Button onPress={onForm}>Form</Button>
        <Button onPress={onClose}>Close</Button>
        <Button type="submit" look="primary" isDisabled={action.isPending}>Transfer</Button>
      </div>
    </form>
  );
}

/** The accounts and the amount of one half, in the book around it. */
function HalfFields({ title, currency, sides, onChange, placeholder }: {
  readonly title: string;
  readonly currency: string;
  readonly sides: Sides;
  readonly onChange: (sides: Sides) => void;
  readonly placeholder?: string;
}) {
  return (
    <fieldset className="entry-half">
      <legend><bdi>{title}</bdi></legend>
      <AccountField label="From" value={sides.from} onChange={(from) => onChange({ ...sides, from })} />
      <AccountField label="To" value={sides.to} onChange={(to) => onChange({ ...sides, to })} />
      <AmountField label={currency ? `Amount in ${currency}` : 'Amount'} placeholder={placeholder} value={sides.amount} onChange={(amount) => onChange({ ...sides, amount })} />
    </fieldset>
  );
}
