import { useState } from 'react';
import { sentence } from '~/api/problem';
import { useBook } from '~/book/types';
import { ListMenu } from '~/export/ListMenu';
import { useHeaderInfo } from '~/frame/headerInfo';
import { decimalOrZero, isZero, toPlain, type Decimal } from '~/lib/money';
import { navigate, useQueryState } from '~/lib/router';
import { Button } from '~/ui/Button';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { AccountField } from '~/ui/fields/AccountField';
import { AmountField } from '~/ui/fields/AmountField';
import { DateField } from '~/ui/fields/DateField';
import { Icon } from '~/ui/Icon';
import { Link } from '~/ui/Link';
import { Money } from '~/ui/Money';
import { reconciliationListing } from './listing';
import { newSheetPath, sheetPath } from './paths';
import { useReconciliations, type Reconciliation } from './queries';
import { openingBalance } from './sheet';
import './Reconcile.css';

/** Begins a reconciliation, and lists the earlier ones. */
export default function ReconcilePage() {
  const { accountById } = useBook();
  const [accountId, setAccount] = useQueryState('account');
  const account = accountById.get(accountId);
  const { data, error } = useReconciliations(accountId);
  useHeaderInfo({ title: account ? `Reconcile ${account.name}` : 'Reconcile' });
  const list = data?.filter((item) => !accountId || item.account.id === accountId);
  return (
    <div className="reconcile">
      <StartForm accountId={accountId} onAccount={(id) => setAccount(id, { replace: true })} list={list ?? []} />
      {error ? (
        <EmptyState title="The reconciliations cannot be loaded">{sentence(error)}</EmptyState>
      ) : !list ? (
        <Loading label="Loading reconciliations" />
      ) : list.length === 0 ? (
        <EmptyState title={account ? 'No statement yet' : 'Nothing is reconciled yet'}>
          Choose an account, and take the date and the closing balance from the statement of your bank. Then tick each row that is on it.
        </EmptyState>
      ) : (
        <Earlier list={list} accountId={accountId} />
      )}
    </div>
  );
}

function StartForm({ accountId, onAccount, list }: { readonly accountId: string; readonly onAccount: (id: string) => void; readonly list: readonly Reconciliation[] }) {
  const { id, today, money, day, can, currency } = useBook();
  const [date, setDate] = useState(today);
  const [closing, setClosing] = useState<Decimal>();
  if (!can('EDITOR')) return <p className="reconcile-start muted">You can look at reconciliations. To make one, you need the permission to edit.</p>;
  const { balance, from } = openingBalance(list, date);
  const isComplete = accountId && date && closing;
  return (
    <form
      noValidate
      className="reconcile-start"
      aria-label="New reconciliation"
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete) navigate(newSheetPath(id, accountId, date, toPlain(closing)));
      }}
    >
      <AccountField label="Account" value={accountId} onChange={onAccount} filter={(type) => type === 'ASSET' || type === 'LIABILITY'} />
      <DateField label="Statement up to" value={date} onChange={setDate} />
      <AmountField
        label={`Closing balance${currency ? ` in ${currency}` : ''}`}
        value={closing}
        onChange={setClosing}
        note={accountId ? (from ? `Opens with ${money(balance)} of ${day(from.date)}` : 'The first statement opens with zero') : undefined}
      />
      <Button type="submit" look="primary" isDisabled={!isComplete}>Start</Button>
    </form>
  );
}

function Earlier({ list, accountId }: { readonly list: readonly Reconciliation[]; readonly accountId: string }) {
  const { id, day, numbers } = useBook();
  const hasAccount = !accountId;
  return (
    <div className="reconcile-earlier" tabIndex={0} role="region" aria-label="Earlier reconciliations">
      <div className="reconcile-earlier-head">
        <h2 id="earlier-reconciliations">Earlier reconciliations</h2>
        <ListMenu what="the reconciliations" list={() => reconciliationListing(id, accountId)} />
      </div>
      <table className="reconcile-table" aria-labelledby="earlier-reconciliations">
        <thead>
          <tr>
            <th scope="col">Statement up to</th>
            {hasAccount && <th scope="col">Account</th>}
            <th scope="col" className="number is-wide">Opening</th>
            <th scope="col" className="number">Closing</th>
            <th scope="col" className="number">Rows</th>
            <th scope="col">Result</th>
            <th scope="col" className="is-wide">By</th>
          </tr>
        </thead>
        <tbody>
          {list.map((item) => (
            <tr key={item.id}>
              <td>
                <Link to={sheetPath(id, item.id)}>{day(item.date)}</Link>
                {item.fileId && <span role="img" aria-label="Has a statement file"> <Icon name="file" size={13} /></span>}
              </td>
              {hasAccount && <td><bdi>{item.account.name}</bdi></td>}
              <td className="number is-wide"><Money value={decimalOrZero(item.openingBalance)} style={numbers} /></td>
              <td className="number"><Money value={decimalOrZero(item.closingBalance)} style={numbers} /></td>
              <td className="number">{item.transactionCount}</td>
              <td><Result difference={decimalOrZero(item.difference)} /></td>
              <td className="is-wide"><bdi>{item.createdBy}</bdi></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Result({ difference }: { readonly difference: Decimal }) {
  const { money } = useBook();
  if (isZero(difference)) return <span className="reconcile-equal"><Icon name="check" size={13} /> Agrees</span>;
  return <span className="reconcile-open"><Icon name="warning" size={13} /> Differs by {money(difference)}</span>;
}
