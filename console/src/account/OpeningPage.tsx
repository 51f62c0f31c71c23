import { useMemo, useState, type FormEvent } from 'react';
import { bookPath } from '~/book/paths';
import { useBook } from '~/book/types';
import { useHeaderInfo } from '~/frame/headerInfo';
import { isZero, type Decimal } from '~/lib/money';
import { navigate } from '~/lib/router';
import { Button } from '~/ui/Button';
import { EmptyState } from '~/ui/EmptyState';
import { AmountField } from '~/ui/fields/AmountField';
import { DateField } from '~/ui/fields/DateField';
import { Link } from '~/ui/Link';
import '~/ui/page.css';
import { useRecordOpenings } from './actions';
import { hasOpening } from './opening';
import { typeName } from './types';
import './AccountsPage.css';

/** Opening balances of all accounts that have none yet, on one day and recorded at once. */
export default function OpeningPage() {
  const { id, accounts, today, can, currency } = useBook();
  useHeaderInfo({ title: 'Opening balances' });
  const [date, setDate] = useState(today);
  const [balances, setBalances] = useState<ReadonlyMap<string, Decimal>>(new Map());
  const record = useRecordOpenings();
  const open = useMemo(
    () => accounts.filter((account) => hasOpening(account) && !account.archived && !account.hasTransactionPosted)
      .sort((a, b) => (a.type ?? '').localeCompare(b.type ?? '') || a.name!.localeCompare(b.name!)),
    [accounts],
  );
  const inputs = open.flatMap((account) => {
    const balance = balances.get(account.id!);
    return balance && !isZero(balance) ? [{ account, balance, date }] : [];
  });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (inputs.length === 0 || !date || record.isPending) return;
    if (await record.run(inputs)) navigate(bookPath(id));
  };
  if (open.length === 0 || !can('EDITOR')) {
    return (
      <EmptyState title="Nothing to open" actions={<Link to={bookPath(id, 'accounts')}>All accounts</Link>}>
        Assets and liabilities without transactions appear here. Others get an opening balance from their panel in the accounts view.
      </EmptyState>
    );
  }
  return (
    <form noValidate className="page" onSubmit={submit} aria-label="Opening balances">
      <section>
        <p className="muted page-lead">What is in each account at the start of the day, and what you owe on each liability. Leave out what is zero. Each is recorded against the account <em>Opening balances</em>.</p>
        <div className="page-form"><DateField label="On" value={date} onChange={setDate} /></div>
      </section>
      <section>
        <table className="table opening-table">
          <thead><tr><th scope="col">Account</th><th scope="col">Type</th><th scope="col" className="number">Balance{currency && ` in ${currency}`}</th></tr></thead>
          <tbody>
            {open.map((account) => (
              <tr key={account.id}>
                <th scope="row"><bdi>{account.name}</bdi></th>
                <td className="muted">{typeName(account.type)}</td>
                <td>
                  <AmountField
                    label={`Opening balance of ${account.name}`}
                    isCompact
                    value={balances.get(account.id!)}
                    onChange={(value) => setBalances((old) => {
                      const next = new Map(old);
                      if (value) next.set(account.id!, value);
                      else next.delete(account.id!);
                      return next;
                    })}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <section className="page-actions">
        <Button type="submit" look="primary" isDisabled={inputs.length === 0 || !date || record.isPending}>{inputs.length === 0 ? 'Record opening balances' : inputs.length === 1 ? 'Record 1 opening balance' : `Record ${inputs.length} opening balances`}</Button>
        <Link to={bookPath(id)}>Later</Link>
      </section>
    </form>
  );
}
