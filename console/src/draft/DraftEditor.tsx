import { useEffect, useRef, type KeyboardEvent, type ReactNode } from 'react';
import type { Transaction } from '~/api/types';
import type { Fields } from '~/transaction/changes';
import { Button } from '~/ui/Button';
import { AccountField } from '~/ui/fields/AccountField';
import { AmountField } from '~/ui/fields/AmountField';
import { DateField } from '~/ui/fields/DateField';
import { TextField } from '~/ui/fields/Field';
import { usePrefs } from '~/ui/prefs';
import { missingFields } from './tray';

/** The fields of a draft in its row, or as a card on a phone. Enter saves, Escape leaves. */
export function DraftEditor({ row, fields, withLater, isCard, isSaving, onChange, onWithLater, onSave, onCancel }: {
  readonly row: Transaction;
  readonly fields: Fields;
  readonly withLater: boolean;
  readonly isCard: boolean;
  readonly isSaving: boolean;
  readonly onChange: (fields: Fields) => void;
  readonly onWithLater: (withLater: boolean) => void;
  readonly onSave: () => void;
  readonly onCancel: () => void;
}) {
  const { accountingTerms } = usePrefs();
  const root = useRef<HTMLDivElement>(null);
  const first = missingFields(row)[0] ?? 'description';
  useEffect(() => root.current?.querySelector<HTMLElement>(`.draft-${first} input`)?.focus(), [first]);
  const set = (changes: Partial<Fields>) => onChange({ ...fields, ...changes });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || root.current?.querySelector('input[aria-expanded=true]')) return;
    if (event.key === 'Escape') onCancel();
    else if (event.key === 'Enter' && event.target instanceof HTMLInputElement) onSave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const field = (name: string, content: ReactNode) => <div className={`draft-field draft-${name}`} role={isCard ? undefined : 'gridcell'}>{content}</div>;
  const isCompact = !isCard;
  return (
    <div ref={root} className={isCard ? 'draft-card' : 'draft-cells'} role={isCard ? 'group' : 'presentation'} aria-label={isCard ? 'Draft' : undefined} onKeyDown={onKeyDown}>
      {field('date', <DateField label="Date" isCompact={isCompact} value={fields.date} onChange={(date) => set({ date })} />)}
      {field('description', <TextField label="Description" isCompact={isCompact} placeholder="Description" value={fields.description} onChange={(description) => set({ description })} />)}
      {field('from', <AccountField label={accountingTerms ? 'Credit' : 'From'} isCompact={isCompact} placeholder={accountingTerms ? 'Credit' : 'From'} value={fields.from} onChange={(from) => set({ from })} />)}
      {field('to', <AccountField label={accountingTerms ? 'Debit' : 'To'} isCompact={isCompact} placeholder={accountingTerms ? 'Debit' : 'To'} value={fields.to} onChange={(to) => set({ to })} />)}
      {field('amount', <AmountField label="Amount" isCompact={isCompact} placeholder="Amount" value={fields.amount} onChange={(amount) => set({ amount })} />)}
      {field('state', (
        <>
          <Button look="primary" isDisabled={isSaving} onPress={onSave}>Save</Button>
          <Button look="ghost" icon="close" aria-label="Leave the draft as it was" onPress={onCancel} />
          {row.properties?.['series'] && (
            <label className="draft-later"><input type="checkbox" checked={withLater} onChange={(event) => onWithLater(event.target.checked)} /> and later ones</label>
          )}
        </>
      ))}
    </div>
  );
}
