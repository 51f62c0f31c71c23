import { useState, useSyncExternalStore, type FormEvent } from 'react';
import { sentence } from '~/api/problem';
import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { Button } from '~/ui/Button';
import { AccountField } from '~/ui/fields/AccountField';
import { AmountField } from '~/ui/fields/AmountField';
import { DateField } from '~/ui/fields/DateField';
import { TextField } from '~/ui/fields/Field';
import { showToast } from '~/ui/toasts';
import { isEmptyChange } from './changes';
import { useFieldNames } from './FieldChoice';
import { useOfferLater } from './later';
import { withLegs } from './legs';
import { entryIdOf } from './lines';
import { changeOfDraft, draftOf, keptDrafts, type PanelDraft } from './panelDraft';
import { PropertyFields } from './PropertyFields';
import { applyTagEdit, readTagEdit } from './tags';
import { useUpdate, type Update } from './update';

/** Whether the panel of a transaction has text that is not saved. */
export function useKeptDraft(id: string): PanelDraft | undefined {
  const { id: bookId } = useBook();
  useSyncExternalStore(keptDrafts.subscribe, keptDrafts.version);
  return keptDrafts.get(bookId, id);
}

/** All fields of a transaction. What is typed stays until it is saved or discarded. */
export function PanelForm({ row, etag }: { readonly row: Transaction; readonly etag: string | undefined }) {
  const { id: bookId } = useBook();
  const names = useFieldNames();
  const update = useUpdate();
  const offerLater = useOfferLater();
  const kept = useKeptDraft(row.id!);
  const draft = kept ?? draftOf(row, etag);
  // Fields hold typed text of their own; a discard begins them anew.
  const [generation, setGeneration] = useState(0);
  const change = (part: Partial<PanelDraft>) => keptDrafts.set(bookId, row.id!, { ...draft, ...part });
  const fields = draft.fields;
  const setFields = (part: Partial<typeof fields>) => change({ fields: { ...fields, ...part } });
  const isDirty = kept !== undefined && !isEmptyChange(changeOfDraft(kept));
  const discard = () => {
    keptDrafts.set(bookId, row.id!, undefined);
    setGeneration((old) => old + 1);
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    // The portals of lists submit too; only this form counts.
    if (!kept || !isDirty || update.isPending) return;
    const all = changeOfDraft(kept);
    const updates: Update[] = [{ row: kept.base, change: all }];
    if (all.date && entryIdOf(kept.base)) {
      try {
        const legs = (await withLegs(bookId, [kept.base])).filter((leg) => leg.id !== row.id && leg.date === kept.base.date);
        updates.push(...legs.map((leg) => ({ row: leg, change: { date: all.date! } })));
      } catch (problem) {
        showToast(sentence(problem), { tone: 'error' });
        return;
      }
    }
    if (!(await update.run({ updates, etag: kept.etag, done: 'Saved the transaction' }))) return;
    discard();
    offerLater(kept.base, all);
  };
  return (
    <form noValidate key={generation} className="tx-form" aria-label="Fields of the transaction" onSubmit={(event) => void save(event)}>
      <TextField label="Description" isMultiline value={fields.description} onChange={(description) => setFields({ description })} />
      <div className="tx-form-pair">
        <DateField label="Date" value={fields.date} onChange={(date) => setFields({ date })} />
        <AmountField label="Amount" value={fields.amount} onChange={(amount) => setFields({ amount })} />
      </div>
      <div className="tx-form-pair">
        <AccountField label={names.from} value={fields.from} onChange={(from) => setFields({ from })} />
        <AccountField label={names.to} value={fields.to} onChange={(to) => setFields({ to })} />
      </div>
      <TagField description={fields.description} onChange={(description) => setFields({ description })} />
      <details open={draft.properties.length > 0 || draft.urls !== '' || draft.remoteIds !== ''}>
        <summary>Properties, links and remote ids</summary>
        <div className="tx-form">
          <PropertyFields properties={draft.properties} onChange={(properties) => change({ properties })} />
          <TextField label="Links" isMultiline value={draft.urls} onChange={(urls) => change({ urls })} note="One a line" />
          <TextField label="Remote ids" isMultiline value={draft.remoteIds} onChange={(remoteIds) => change({ remoteIds })} note="Ids in other systems, one a line" />
        </div>
      </details>
      {isDirty && (
        <div className="tx-form-actions">
          <Button type="submit" look="primary" isDisabled={update.isPending}>Save</Button>
          <Button onPress={discard}>Discard</Button>
          <span className="muted">Not saved yet</span>
        </div>
      )}
    </form>
  );
}

/** Hashtags of the description, to add and to remove. */
function TagField({ description, onChange }: { readonly description: string; readonly onChange: (description: string) => void }) {
  const [text, setText] = useState('');
  const tags = [...description.matchAll(/#([\p{L}\p{M}\p{N}_\u200c\u200d]+)/gu)].map((match) => match[1]!);
  const edit = readTagEdit(text);
  const add = () => {
    if (!edit) return;
    onChange(applyTagEdit(description, edit));
    setText('');
  };
  return (
    <div className="tx-tags">
      {[...new Set(tags)].map((tag) => (
        <span key={tag} className="tag tx-tag">
          <bdi>#{tag}</bdi>
          <Button look="ghost" icon="close" aria-label={`Remove #${tag}`} onPress={() => onChange(applyTagEdit(description, { add: [], remove: [tag] }))} />
        </span>
      ))}
      <TextField
        label="Add a hashtag" isCompact placeholder="Add a hashtag" value={text} onChange={setText}
        onKeyDown={(event) => { if (event.key === 'Enter') { event.preventDefault(); add(); } }}
        onBlur={add}
      />
    </div>
  );
}
