import { useBook } from '~/book/types';
import { useCreateAccounts } from '~/account/actions';
import { decimalOrZero, isNegative } from '~/lib/money';
import { AccountField } from '~/ui/fields/AccountField';
import { ChoiceField } from '~/ui/fields/ChoiceField';
import { TextField } from '~/ui/fields/Field';
import { possibleOutcomes } from './decisions';
import { problemOf, type RecordFields } from './recordFields';
import type { Import, ImportRecord } from './types';

const LABELS = { NEW: 'Record', MATCHED: 'Match', SKIPPED: 'Skip' } as const;

export interface RecordFieldsetProps {
  readonly run: Import;
  readonly record: ImportRecord;
  readonly fields: RecordFields;
  readonly onChange: (part: Partial<RecordFields>) => void;
  readonly isCompact: boolean;
}

export function OutcomeField({ record, fields, onChange, isCompact }: RecordFieldsetProps) {
  const choices = possibleOutcomes(record).map((value) => ({ value, label: LABELS[value] }));
  return <ChoiceField label="What happens" isCompact={isCompact} value={fields.outcome} onChange={(outcome) => onChange({ outcome })} choices={choices} />;
}

export function TextFields({ fields, onChange, isCompact }: RecordFieldsetProps) {
  const isDisabled = fields.outcome !== 'NEW';
  const tagError = isDisabled ? undefined : problemOf({ ...fields, outcome: 'NEW' });
  return (
    <>
      <TextField label="Description" isCompact={isCompact} isDisabled={isDisabled} value={fields.description} onChange={(description) => onChange({ description })} />
      <TextField label="Tags" placeholder="#tags" isCompact={isCompact} isDisabled={isDisabled} value={fields.tags} onChange={(tags) => onChange({ tags })} error={tagError} />
    </>
  );
}

/** The other account, or the transaction that the record is. */
export function TargetField(props: RecordFieldsetProps) {
  return props.fields.outcome === 'MATCHED' ? <MatchField {...props} /> : <OtherAccountField {...props} />;
}

function MatchField({ record, fields, onChange, isCompact }: RecordFieldsetProps) {
  const { day, money } = useBook();
  const candidates = (record.candidates ?? []).map(({ id, date, amount, description }) => ({
    value: id, label: [date ? day(date) : 'no date', money(decimalOrZero(amount)), description].filter(Boolean).join(' · '),
  }));
  const own = record.outcome === 'MATCHED' && record.transactionId ? [{ value: record.transactionId, label: 'The one of the preview' }] : [];
  const found = [...own.filter(({ value }) => !candidates.some((candidate) => candidate.value === value)), ...candidates];
  const choices = fields.match ? found : [{ value: '', label: 'Choose a transaction' }, ...found];
  return <ChoiceField label="The transaction" isCompact={isCompact} value={fields.match} onChange={(match) => onChange({ match })} choices={choices} />;
}

function OtherAccountField({ run, record, fields, onChange, isCompact }: RecordFieldsetProps) {
  const { accountById, can } = useBook();
  const create = useCreateAccounts();
  const planned = new Map(run.accountsToCreate.map(({ name }) => [name.toLowerCase(), name]));
  const choose = (id: string) => onChange({ account: id, accountName: accountById.get(id)?.name ?? '' });
  const createAccount = async (name: string) => {
    const known = planned.get(name.toLowerCase());
    if (known) return onChange({ account: known, accountName: known });
    const type = isNegative(decimalOrZero(record.amount)) ? ('OUTGOING' as const) : ('INCOMING' as const);
    const [account] = (await create.run([{ name, type }])) ?? [];
    if (account?.id) onChange({ account: account.id, accountName: name });
    return undefined;
  };
  const isPlanned = fields.account !== '' && !accountById.has(fields.account);
  return (
    <AccountField
      label="Other account"
      isCompact={isCompact}
      isDisabled={fields.outcome !== 'NEW'}
      value={isPlanned ? '' : fields.account}
      onChange={choose}
      onCreate={can('EDITOR') || planned.size > 0 ? (name) => void createAccount(name) : undefined}
      placeholder={fields.accountName || record.suggestion?.account.name || 'Uncategorised'}
    />
  );
}
