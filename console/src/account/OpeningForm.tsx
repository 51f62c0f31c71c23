import { useState, type FormEvent } from 'react';
import type { Account } from '~/api/types';
import { useBook } from '~/book/types';
import { isZero, type Decimal } from '~/lib/money';
import { Button } from '~/ui/Button';
import { AmountField } from '~/ui/fields/AmountField';
import { DateField } from '~/ui/fields/DateField';
import { useRecordOpenings } from './actions';

/** Records the opening balance of an account that exists. */
export function OpeningForm({ account }: { readonly account: Account }) {
  const { today } = useBook();
  const [isOpen, setOpen] = useState(false);
  const [balance, setBalance] = useState<Decimal>();
  const [date, setDate] = useState(today);
  const record = useRecordOpenings();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!balance || isZero(balance) || !date || record.isPending) return;
    if (await record.run([{ account, balance, date }])) setOpen(false);
  };
  return (
    <section className="panel-section">
      {!isOpen && <Button onPress={() => setOpen(true)}>Opening balance</Button>}
      {isOpen && (
        <form noValidate className="panel-form" onSubmit={submit} aria-label="Opening balance">
          <AmountField label={account.credit ? 'Opening balance, what you owe' : 'Opening balance'} value={balance} onChange={setBalance} autoFocus note="Recorded against the account Opening balances." />
          <DateField label="On" value={date} onChange={setDate} />
          <Button type="submit" look="primary" isDisabled={record.isPending}>Record opening balance</Button>
        </form>
      )}
    </section>
  );
}
