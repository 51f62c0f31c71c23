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
import { toDecimal } from './split';
import { emptyTransfer, NO_SIDES, type ChangeDraft, type EntryDraft, type TransferDraft, type TransferSides, type UnfinishedTransfer } from './store';
import { runTransfer, transferRate, type Half } from './transfer';
import { FROM_BOOK, TO_BOOK } from '~/transaction/lines';
import './EntryForm.css';

const trash = (bookId: string, id: string, idempotencyKey: string) =>
  api.patch('/v5/books/{bookId}/transactions/trash', { path: { bookId }, body: { id }, idempotencyKey });

const create = async ({ bookId, transaction }: Half, idempotencyKey: string) =>
  (await api.post('/v5/books/{bookId}/transactions', { path: { bookId }, body: transaction, idempotencyKey })).data.transaction;

/** Money that leaves this book and enters another one: a half in each, with the rate where they differ. */
export function TransferForm({ draft, change, onForm, onClose }: {
  readonly draft: EntryDraft;
  readonly change: ChangeDraft;
  readonly onForm: () => void;
  readonly onClose: () => void;
}) {
  const { id: bookId, today, currency, book } = useBook();
  const others = (useBooks().data ?? []).filter((other) => other.id !== bookId && ['POSTER', 'EDITOR', 'OWNER'].includes(other.permission ?? ''));
  const { date, description, otherId, here, there, unfinished } = draft.transfer ?? emptyTransfer(today);
  const set = (changes: Partial<TransferDraft>) => change((current) => ({ transfer: { ...(current.transfer ?? emptyTransfer(today)), ...changes } }));
  const [done, setDone] = useState<{ readonly bookId: string; readonly entryId: string }>();
  const [error, setError] = useState<string>();
  const root = useRef<HTMLFormElement>(null);
  useEffect(() => root.current?.querySelector<HTMLElement>('select')?.focus(), [others.length]);
  // A book that was created or shared a moment ago is offered too.
  useEffect(() => void queryClient.invalidateQueries({ queryKey: keys.books }), []);
  const other = others.find(({ id }) => id === otherId);
  const given = toDecimal(here.amount);
  const received = toDecimal(there.amount) ?? given;
  const rate = given && received && compare(given, received) !== 0 ? transferRate(given, received) : '';

  const action = useAction({
    bookId,
    done: () => `Transferred to ${other?.name ?? 'the other book'}`,
    run: ({ halves, state }: UnfinishedTransfer) =>
      runTransfer(halves[0], halves[1], state, { create, trash, onState: (next) => set({ unfinished: next.key ? { halves, state: next } : undefined }) }),
    undo: async ({ halves }, [first, second], key) => {
      await trash(halves[0].bookId, first.id!, `${key}a`);
      await trash(halves[1].bookId, second.id!, `${key}b`);
      bookChanged(halves[1].bookId);
    },
  });
  const giveUp = useAction({
    bookId,
    done: ({ state }: UnfinishedTransfer) => (state.recorded ? 'Moved the half in this book to the trash' : 'Gave up the transfer'),
    run: async ({ halves, state }) => {
      if (state.recorded) await trash(halves[0].bookId, state.recorded.id!, `${state.key}c`);
      set({ unfinished: undefined });
    },
  });
  const run = async (transfer: UnfinishedTransfer) => {
    const result = await action.run(transfer);
    const target = transfer.halves[1].bookId;
    bookChanged(target);
    if (!result) return;
    set({ description: '', here: { ...here, amount: '' }, there: { ...there, amount: '' } });
    setDone({ bookId: target, entryId: transfer.state.key });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (action.isPending || unfinished) return undefined;
    if (!otherId) return setError('Choose the other book.');
    if (!date || !here.from || !here.to || !there.from || !there.to) return setError('Both halves need a date and two accounts.');
    if (!given || !received || compare(given, ZERO) <= 0 || compare(received, ZERO) <= 0) return setError('The amount must be above zero.');
    setError(undefined);
    const key = newKey();
    const half = (target: string, sides: TransferSides, amount: Decimal): Half => ({
      bookId: target,
      transaction: {
        date, description, amount: toPlain(amount), creditAccount: { id: sides.from }, debitAccount: { id: sides.to },
        properties: { entry_id: key, [FROM_BOOK]: bookId, [TO_BOOK]: otherId, ...(rate ? { rate } : {}) },
      },
    });
    return void run({ halves: [half(bookId, here, given), half(otherId, there, received)], state: { key, recorded: undefined } });
  };
  if (unfinished && !action.isPending) {
    const [, second] = unfinished.halves;
    return (
      <div className="entry-actions" role="group" aria-label="Unfinished transfer">
        <p className="entry-warning" role="alert">
          A transfer has no answer yet{unfinished.state.recorded && '; its half in this book is recorded'}. Before you give it up, look whether{' '}
          <Link to={transactionsPath(second.bookId, term('entry_id', unfinished.state.key))}>the other book</Link> has its half.
        </p>
        <span className="entry-space" />
        <Button isDisabled={giveUp.isPending} onPress={() => void giveUp.run(unfinished)}>Give it up</Button>
        <Button look="primary" isDisabled={giveUp.isPending} onPress={() => void run(unfinished)}>Finish the transfer</Button>
        <Button onPress={onClose}>Close</Button>
      </div>
    );
  }
  if (others.length === 0) {
    return (
      <div className="entry-actions">
        <p className="muted">There is no other book in which you may record. Create one, or ask for permission.</p>
        <Button onPress={onForm}>Form</Button> <Button onPress={onClose}>Close</Button>
      </div>
    );
  }
  return (
    <form ref={root} className="entry-transfer" aria-label="Transfer to another book" noValidate onSubmit={submit} onKeyDown={(event) => event.key === 'Escape' && !event.defaultPrevented && onClose()}>
      <ChoiceField label="Other book" value={otherId} onChange={(id) => set({ otherId: id, there: NO_SIDES })} choices={[{ value: '', label: 'choose' }, ...others.map(({ id, name }) => ({ value: id!, label: name! }))]} />
      <DateField label="Date" value={date} onChange={(day) => set({ date: day })} />
      <TextField label="Description" value={description} onChange={(text) => set({ description: text })} />
      <HalfFields title={`In ${book.name}`} currency={currency} sides={here} onChange={(sides) => set({ here: sides })} key={`here ${done?.entryId}`} />
      {other && (
        <BookProvider bookId={otherId} key={`${otherId} ${done?.entryId}`}>
          <HalfFields title={`In ${other.name}`} currency={currencyOf(other)} sides={there} onChange={(sides) => set({ there: sides })} placeholder="the same" />
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
  readonly sides: TransferSides;
  readonly onChange: (sides: TransferSides) => void;
  readonly placeholder?: string;
}) {
  return (
    <fieldset className="entry-half">
      <legend><bdi>{title}</bdi></legend>
      <AccountField label="From" value={sides.from} onChange={(from) => onChange({ ...sides, from })} />
      <AccountField label="To" value={sides.to} onChange={(to) => onChange({ ...sides, to })} />
      <AmountField label={currency ? `Amount in ${currency}` : 'Amount'} placeholder={placeholder} value={toDecimal(sides.amount)} onChange={(amount) => onChange({ ...sides, amount: amount ? toPlain(amount) : '' })} />
    </fieldset>
  );
}
