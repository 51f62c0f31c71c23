import { useBook } from '~/book/types';
import { accountPath } from '~/book/paths';
import { decimalOrZero, formatCount, isZero } from '~/lib/money';
import { Button } from '~/ui/Button';
import { Icon } from '~/ui/Icon';
import { Link } from '~/ui/Link';
import { Money } from '~/ui/Money';
import type { Import, ImportStatement } from './types';
import { useReread } from './useReread';

/** What was recognized in the file: the format, the statements with their balances, and warnings. */
export function Recognised({ run }: { readonly run: Import }) {
  const { money } = useBook();
  const isJournal = run.statements.length === 0;
  const hasBalances = run.statements.some(({ opening, closing }) => opening !== undefined || closing !== undefined);
  return (
    <section className="import-recognised" aria-label="What was recognized">
      <p className="import-format">
        <span>{run.format ?? 'The format is not known yet'}</span>
        {run.sumIn !== undefined && (
          <span className="muted import-sums">
            {isJournal ? 'Debits' : 'In'} {money(decimalOrZero(run.sumIn))} · {isJournal ? 'Credits' : 'Out'} {money(decimalOrZero(run.sumOut))}
          </span>
        )}
      </p>
      {run.target === 'NEW' && run.state === 'PREVIEW' && <NewBook run={run} />}
      {(run.statements.length > 1 || hasBalances) && (
        <div className="import-statements" tabIndex={0} role="region" aria-label="Statements">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Statement</th>
                <th scope="col">Result</th>
                {hasBalances && <th scope="col" className="number">Opening</th>}
                <th scope="col" className="number">In</th>
                <th scope="col" className="number">Out</th>
                {hasBalances && <th scope="col" className="number">Closing</th>}
              </tr>
            </thead>
            <tbody>{run.statements.map((statement, index) => <Statement key={index} statement={statement} hasBalances={hasBalances} />)}</tbody>
          </table>
        </div>
      )}
      <Warnings run={run} />
    </section>
  );
}

function Statement({ statement, hasBalances }: { readonly statement: ImportStatement; readonly hasBalances: boolean }) {
  const { id, numbers } = useBook();
  const { account, number, currency, opening, closing, sumIn, sumOut, count, difference } = statement;
  const amount = (value: string | undefined) => (value === undefined ? <span className="muted">not given</span> : <Money value={decimalOrZero(value)} style={numbers} />);
  const isDifferent = difference !== undefined && !isZero(decimalOrZero(difference));
  return (
    <tr className={isDifferent ? 'is-different' : ''}>
      <th scope="row">
        {account?.id ? <Link to={accountPath(id, account.id)}><bdi>{account.name}</bdi></Link> : <bdi>{account?.name ?? 'Several accounts'}</bdi>}
        {number && number !== account?.name && <span className="muted"> <bdi>{number}</bdi></span>}
        {currency && <span className="muted"> {currency}</span>}
      </th>
      <td><Balance difference={difference} isDifferent={isDifferent} count={count} /></td>
      {hasBalances && <td className="number">{amount(opening)}</td>}
      <td className="number">{amount(sumIn)}</td>
      <td className="number">{amount(sumOut)}</td>
      {hasBalances && <td className="number">{amount(closing)}</td>}
    </tr>
  );
}

function Balance({ difference, isDifferent, count }: { readonly difference: string | undefined; readonly isDifferent: boolean; readonly count: number }) {
  const { money, numbers } = useBook();
  const records = `${formatCount(count, numbers)} ${count === 1 ? 'record' : 'records'}`;
  if (difference === undefined) return <span className="muted">{records}</span>;
  if (!isDifferent) return <span className="import-equal"><Icon name="check" size={13} /> {records}, balances agree</span>;
  return <strong className="import-different"><Icon name="warning" size={13} /> {money(decimalOrZero(difference))} missing: the file is not complete</strong>;
}

function NewBook({ run }: { readonly run: Import }) {
  const { reread, hasFile, isPending } = useReread(run);
  return (
    <p className="import-note">
      <Icon name="book" size={13} /> This journal goes into a new book of yours.{' '}
      {hasFile && <Button look="ghost" isDisabled={isPending} onPress={() => void reread({ target: 'HERE' })}>Record it in this book</Button>}
    </p>
  );
}

function Warnings({ run }: { readonly run: Import }) {
  const { numbers } = useBook();
  if (run.warningCount === 0) return null;
  return (
    <details className="import-warnings">
      <summary><Icon name="warning" size={13} /> {formatCount(run.warningCount, numbers)} {run.warningCount === 1 ? 'warning' : 'warnings'} about the file</summary>
      <ul>
        {run.warnings.map(({ line, column, message }, index) => (
          <li key={index}>{line !== undefined && <span className="muted">Line {line}{column !== undefined && `, column ${column}`}: </span>}{message}</li>
        ))}
      </ul>
    </details>
  );
}
