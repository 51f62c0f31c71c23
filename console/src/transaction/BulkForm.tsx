import { useState } from 'react';
import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { Button } from '~/ui/Button';
import { AccountField } from '~/ui/fields/AccountField';
import { DateField } from '~/ui/fields/DateField';
import { TextField } from '~/ui/fields/Field';
import { plural } from './actions';
import { useFieldNames } from './FieldChoice';
import type { RowActions } from './rowActions';
import { readTagEdit } from './tags';

export type BulkKind = 'tag' | 'date' | 'account';

/** A form that changes all selected rows alike. Escape closes it. */
export function BulkForm({ kind, rows, actions, onDone }: {
  readonly kind: BulkKind;
  readonly rows: readonly Transaction[];
  readonly actions: RowActions;
  /** `saved` says whether the rows were changed. */
  readonly onDone: (saved: boolean) => void;
}) {
  const Form = { tag: TagForm, date: DateForm, account: AccountForm }[kind];
  return (
    <div onKeyDown={(event) => event.key === 'Escape' && !event.defaultPrevented && (event.stopPropagation(), onDone(false))}>
      <Form rows={rows} actions={actions} onDone={onDone} />
    </div>
  );
}

interface FormProps {
  readonly rows: readonly Transaction[];
  readonly actions: RowActions;
  readonly onDone: (saved: boolean) => void;
}

function Frame({ label, isReady, onSave, onCancel, children }: {
  readonly label: string;
  readonly isReady: boolean;
  readonly onSave: () => Promise<boolean>;
  readonly onCancel: () => void;
  readonly children: React.ReactNode;
}) {
  return (
    <form noValidate className="bulk-form" aria-label={label} onSubmit={(event) => { event.preventDefault(); if (isReady) void onSave(); }}>
      {children}
      <Button type="submit" look="primary" isDisabled={!isReady}>Apply</Button>
      <Button look="ghost" onPress={onCancel}>Cancel</Button>
    </form>
  );
}

function TagForm({ rows, actions, onDone }: FormProps) {
  const [text, setText] = useState('');
  const edit = readTagEdit(text);
  const save = async () => {
    const saved = edit !== undefined && (await actions.tag(rows, edit));
    if (saved) onDone(true);
    return saved;
  };
  return (
    <Frame label="Hashtags" isReady={edit !== undefined} onSave={save} onCancel={() => onDone(false)}>
      <TextField
        label="Hashtags" autoFocus value={text} onChange={setText} placeholder="#travel −#old"
        note="A minus removes one" error={text.trim() && !edit && !/[\s,-]$/.test(text) ? 'Use letters, digits and _' : undefined}
      />
    </Frame>
  );
}

function DateForm({ rows, actions, onDone }: FormProps) {
  const { day } = useBook();
  const [date, setDate] = useState(rows[0]?.date ?? '');
  const save = async () => {
    const saved = await actions.changeAll(rows, (row) => (row.date === date ? {} : { date }), `Moved ${plural(rows.length, 'transaction')} to ${day(date)}`);
    if (saved) onDone(true);
    return saved;
  };
  return (
    <Frame label="Date" isReady={date !== ''} onSave={save} onCancel={() => onDone(false)}>
      <DateField label="Date" autoFocus value={date} onChange={setDate} />
    </Frame>
  );
}

/** Gives the rows another account on either side. Legs that are not selected keep theirs. */
function AccountForm({ rows, actions, onDone }: FormProps) {
  const names = useFieldNames();
  const { accountById } = useBook();
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const sameSide = (id: string, side: 'creditAccount' | 'debitAccount') => rows.some((row) => id !== '' && row[side]?.id === id);
  const clash = (from !== '' && (from === to || (!to && sameSide(from, 'debitAccount')))) || (!from && sameSide(to, 'creditAccount'));
  const name = (id: string) => accountById.get(id)?.name ?? '';
  const save = async () => {
    const done = [from && `${names.from}: ${name(from)}`, to && `${names.to}: ${name(to)}`].filter(Boolean).join(', ');
    const saved = await actions.changeRows(rows, (row) => ({
      ...(from && row.creditAccount?.id !== from ? { creditAccount: { id: from } } : {}),
      ...(to && row.debitAccount?.id !== to ? { debitAccount: { id: to } } : {}),
    }), `Changed ${plural(rows.length, 'transaction')} to ${done}`);
    if (saved) onDone(true);
    return saved;
  };
  return (
    <Frame label="Accounts" isReady={(from !== '' || to !== '') && !clash} onSave={save} onCancel={() => onDone(false)}>
      <AccountField label={names.from} autoFocus value={from} onChange={setFrom} placeholder="Leave as it is" error={clash ? 'The same account on both sides' : undefined} />
      <AccountField label={names.to} value={to} onChange={setTo} placeholder="Leave as it is" />
    </Frame>
  );
}
