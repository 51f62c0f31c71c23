import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent } from 'react';
import { useBook } from '~/book/types';
import { useCompletionSources } from '~/frame/completionSources';
import { formatMoney, toPlain } from '~/lib/money';
import type { AccountType } from '~/lib/signs';
import { Button } from '~/ui/Button';
import { AccountField } from '~/ui/fields/AccountField';
import { AmountField } from '~/ui/fields/AmountField';
import { DateField } from '~/ui/fields/DateField';
import { TextField } from '~/ui/fields/Field';
import { Icon } from '~/ui/Icon';
import { usePrefs } from '~/ui/prefs';
import { useShortcut } from '~/ui/shortcuts';
import { transactionsOf, useRecordForm } from './actions';
import { directionWords, listWords, unusualReason, type Side } from './direction';
import { Legs } from './Legs';
import { NewAccount } from './NewAccount';
import { Properties } from './Properties';
import { RepeatFields } from './RepeatFields';
import { completeLegs, EMPTY_LEG, toDecimal, type Leg } from './split';
import { emptyForm, type ChangeDraft, type EntryDraft, type FormState } from './store';
import './EntryForm.css';

/** Which account field waits for a new account: a side of the form, or a leg. */
type Target = 'from' | 'to' | number;

/** A new transaction field by field, with split, properties and repetitions. Enter records it. */
export function EntryForm({ draft, change, focusRequest, onLine, onTransfer, onClose }: {
  readonly draft: EntryDraft;
  readonly change: ChangeDraft;
  readonly focusRequest: number;
  readonly onLine: () => void;
  readonly onTransfer: () => void;
  readonly onClose: () => void;
}) {
  const { today, numbers, can, accountById, lockedUntil, day, book } = useBook();
  const { accountingTerms } = usePrefs();
  const form = draft.form ?? emptyForm(today);
  const root = useRef<HTMLFormElement>(null);
  // A new number gives fresh fields: fields keep half-typed text of their own.
  const [generation, setGeneration] = useState(0);
  const [creating, setCreating] = useState<{ readonly name: string; readonly target: Target }>();
  const [error, setError] = useState<string>();
  const record = useRecordForm();
  const sources = useCompletionSources();
  const set = (changes: Partial<FormState>) => {
    setError(undefined);
    change((current) => ({ form: { ...(current.form ?? emptyForm(today)), ...changes } }));
  };
  const focusField = (label: string) => root.current?.querySelector<HTMLElement>(`.entry-field-${label} input`)?.focus();
  // From the typed line the first empty field comes next.
  useEffect(() => focusField(!form.from ? 'from' : !form.to && form.split !== 'to' ? 'to' : !form.amount ? 'amount' : 'description'), [focusRequest, generation]); // eslint-disable-line react-hooks/exhaustive-deps

  const split = form.split ? completeLegs(form.amount, form.legs) : undefined;
  const save = async () => {
    if (record.isPending) return;
    if (split?.kind === 'error') return setError(split.message);
    if (split && !(form.split === 'to' ? form.from : form.to)) return setError('A split needs the account that all legs share.');
    if (form.repeat && !form.date) return setError('Repeat needs a date.');
    if (!form.from && !form.to && !form.amount && !form.description.trim() && !split) return setError('There is nothing to record yet.');
    const rows = await record.run(transactionsOf(form, split?.legs));
    if (!rows) return;
    // The next one begins with the same date.
    change(() => ({ form: emptyForm(form.date || today) }));
    setGeneration((count) => count + 1);
  };
  const swap = () => set({ from: form.to, to: form.from, ...(form.split ? { split: form.split === 'to' ? 'from' : 'to' } : {}) });
  const toggleSplit = (side: 'from' | 'to' | undefined) => {
    const shared = side === 'to' ? form.to : form.from;
    // The account of the side that is split begins the first leg.
    const legs = side && form.legs.every(({ account }) => !account) && shared ? [{ ...form.legs[0]!, account: shared }, ...form.legs.slice(1)] : form.legs;
    set({ split: side, legs });
  };
  useShortcut('entry-swap', swap);
  useShortcut('entry-split', () => toggleSplit(form.split ? undefined : 'to'));

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !root.current?.querySelector('[aria-expanded=true]')) onClose();
    // Enter that chooses an option of a list does not record.
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement && event.target.getAttribute('aria-expanded') !== 'true' && !event.defaultPrevented) {
      event.preventDefault();
      void save();
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save();
  };
  const created = (id: string, target: Target) => {
    if (typeof target === 'number') set({ legs: form.legs.map((leg, index) => (index === target ? { ...leg, account: id } : leg)) });
    else set({ [target]: id });
  };
  const onCreate = (target: Target) => (can('EDITOR') ? (name: string) => setCreating({ name, target }) : undefined);
  const sideOf = (id: string): Side | undefined => {
    const account = accountById.get(id);
    return account && { name: account.name!, type: account.type as AccountType };
  };
  const [from, to] = [sideOf(form.from), sideOf(form.to)];
  const unusual = from && to && !form.split ? unusualReason(from, to) : undefined;
  const missing = [!form.date && 'the date', !form.from && form.split !== 'from' && 'From', !form.to && form.split !== 'to' && 'To', !form.amount && !form.split && 'the amount'].filter((word) => word !== false);
  return (
    <>
      <form ref={root} key={generation} className="entry-form" aria-label="Form" noValidate onSubmit={submit} onKeyDown={onKeyDown}>
        <div className="entry-field-date"><DateField label="Date" value={form.date} onChange={(date) => set({ date })} /></div>
        {form.split !== 'from' && (
          <div className="entry-field-from">
            <AccountField label={accountingTerms ? 'Credit' : 'From'} value={form.from} onChange={(id) => set({ from: id })} onCreate={onCreate('from')} />
          </div>
        )}
        {form.split !== 'to' && (
          <div className="entry-field-to">
            <AccountField label={accountingTerms ? 'Debit' : 'To'} value={form.to} onChange={(id) => set({ to: id })} onCreate={onCreate('to')} />
          </div>
        )}
        <div className="entry-field-amount">
          <AmountField label="Amount" value={toDecimal(form.amount)} onChange={(value) => set({ amount: value ? toPlain(value) : '' })} />
        </div>
        <div className="entry-field-description"><TextField label="Description" value={form.description} onChange={(description) => set({ description })} /></div>
        <div className="entry-field-tags"><TextField label="Hashtags" placeholder="#food #travel" value={form.tags} onChange={(tags) => set({ tags })} note={tagHint(form.tags, sources.hashtags)} /></div>
        {form.split && <Legs side={form.split} amount={form.amount} legs={form.legs} onChange={(legs: readonly Leg[]) => set({ legs })} onCreate={onCreate} />}
        <Properties rows={form.properties} onChange={(properties) => set({ properties })} known={sources.propertyKeys} />
        {form.repeat && <RepeatFields repeat={form.repeat} first={form.date} onChange={(repeat) => set({ repeat })} />}
        <div className="entry-actions">
          <Button shortcut="entry-split" aria-pressed={form.split !== undefined} onPress={() => toggleSplit(form.split ? undefined : 'to')}>{form.split ? 'No split' : 'Split'}</Button>
          {form.split && <Button onPress={() => toggleSplit(form.split === 'to' ? 'from' : 'to')}>{form.split === 'to' ? 'Split From instead' : 'Split To instead'}</Button>}
          {form.split && <Button onPress={() => set({ legs: [...form.legs, EMPTY_LEG] })}>Add a leg</Button>}
          <Button onPress={() => set({ properties: [...form.properties, { key: '', value: '' }] })}>Property</Button>
          <Button onPress={() => set({ repeat: form.repeat ? undefined : { unit: 'month', every: 1, count: 11 } })}>{form.repeat ? 'No repeat' : 'Repeat'}</Button>
          <Button shortcut="entry-swap" onPress={swap}>Swap</Button>
          <span className="entry-space" />
          <Button onPress={onTransfer}>To another book</Button>
          <Button shortcut="entry-form" onPress={onLine}>Typed line</Button>
          <Button onPress={onClose}>Close</Button>
          <Button type="submit" look="primary" shortcut="entry-save" isDisabled={record.isPending}>{missing.length > 0 ? 'Save as draft' : 'Record'}</Button>
        </div>
      </form>
      <div className="entry-notes" role="status">
        {error && <p className="entry-warning"><Icon name="warning" size={13} /> {error}</p>}
        {from && to && !form.split && !unusual && <p className="entry-direction"><bdi>{directionWords(from, to)}</bdi></p>}
        {from && to && unusual && <p className="entry-warning"><Icon name="warning" size={13} /> <bdi>{directionWords(from, to)}.</bdi> {unusual}</p>}
        {missing.length > 0 && <p className="entry-missing">Becomes a draft: {listWords(missing)} {missing.length === 1 ? 'is' : 'are'} missing.</p>}
        {missing.length === 0 && form.date <= lockedUntil && <p className="entry-missing">Becomes a draft: the book is locked up to {day(lockedUntil)}.</p>}
        {missing.length === 0 && book.autoPost === false && <p className="entry-missing">Becomes a draft: this book posts nothing by itself.</p>}
        {split?.kind === 'legs' && <p className="muted">{split.legs.length} legs: {split.legs.map((leg) => formatMoney(toDecimal(leg.amount)!, numbers)).join(' + ')}</p>}
      </div>
      {creating && (
        <NewAccount
          key={String(creating.target)}
          name={creating.name}
          side={creating.target === 'from' || (typeof creating.target === 'number' && form.split === 'from') ? 'from' : 'to'}
          onDone={(account) => {
            setCreating(undefined);
            if (account) created(account.id!, creating.target);
            focusField(typeof creating.target === 'number' ? 'amount' : creating.target);
          }}
        />
      )}
    </>
  );
}

/** Known hashtags that begin like the one being typed. */
function tagHint(tags: string, known: readonly string[]): string | undefined {
  const typed = /#?([^\s,#]+)$/.exec(tags)?.[1]?.toLowerCase();
  if (!typed) return undefined;
  const found = known.filter((tag) => tag.toLowerCase().startsWith(typed) && tag.toLowerCase() !== typed).slice(0, 3);
  return found.length > 0 ? found.map((tag) => `#${tag}`).join(' ') : undefined;
}
