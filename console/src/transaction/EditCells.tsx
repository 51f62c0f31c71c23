import { useRef, useState } from 'react';
import type { Account } from '~/api/types';
import type { Decimal } from '~/lib/money';
import { Cell } from '~/ui/List';
import { handleEditKeys } from '~/ui/editKeys';
import { AccountField } from '~/ui/fields/AccountField';
import { AmountField } from '~/ui/fields/AmountField';
import { DateField } from '~/ui/fields/DateField';
import { TextField } from '~/ui/fields/Field';
import { fromRegister, registerAmount, type Fields } from './changes';
import { useFieldNames } from './FieldChoice';
import './EditCells.css';

interface EditCellsProps {
  readonly fields: Fields;
  /** Of a register: its sign decides about the direction. */
  readonly account: Account | undefined;
  readonly onChange: (fields: Fields) => void;
  readonly onSave: () => void;
  readonly onCancel: () => void;
}

/** A row as fields. Enter saves and moves on, Escape restores; an open list of accounts takes both keys first. */
export function EditCells({ fields, account, onChange, onSave, onCancel }: EditCellsProps) {
  const names = useFieldNames();
  const latest = useRef(fields);
  latest.current = fields;
  const change = (part: Partial<Fields>) => {
    latest.current = { ...latest.current, ...part };
    onChange(latest.current);
  };
  return (
    <div className="tx-edit row-fields" onKeyDownCapture={(event) => handleEditKeys(event, onSave, onCancel)} onClick={(event) => event.stopPropagation()}>
      <Cell className="tx-date"><DateField isCompact label="Date" value={fields.date} onChange={(date) => change({ date })} /></Cell>
      <Cell className="tx-status" />
      <Cell className="tx-description">
        <TextField isCompact autoFocus label="Description" value={fields.description} onChange={(description) => change({ description })} />
      </Cell>
      {account ? (
        <RegisterFields account={account} fields={fields} onChange={change} />
      ) : (
        <>
          <Cell className="tx-from"><AccountField isCompact label={names.from} value={fields.from} onChange={(from) => change({ from })} /></Cell>
          <Cell className="tx-to"><AccountField isCompact label={names.to} value={fields.to} onChange={(to) => change({ to })} /></Cell>
          <Cell isNumber className="tx-amount"><AmountField isCompact label="Amount" value={fields.amount} onChange={(amount) => change({ amount })} /></Cell>
        </>
      )}
    </div>
  );
}

function RegisterFields({ account, fields, onChange }: {
  readonly account: Account;
  readonly fields: Fields;
  readonly onChange: (fields: Fields) => void;
}) {
  const [amount, setAmount] = useState(() => registerAmount(fields, account));
  const other = fields.from === account.id ? fields.to : fields.from;
  const edit = (next: Decimal | undefined, account2: string) => onChange(fromRegister(fields, account, next, account2));
  return (
    <>
      <Cell className="tx-to"><AccountField isCompact label="Other account" value={other} onChange={(id) => edit(amount, id)} /></Cell>
      <Cell isNumber className="tx-amount">
        <AmountField isCompact label="Amount" value={amount} onChange={(next) => { setAmount(next); edit(next, other); }} />
      </Cell>
      {account.permanent && <Cell isNumber className="tx-balance" />}
    </>
  );
}
