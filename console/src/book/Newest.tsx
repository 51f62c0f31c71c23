import type { Transaction } from '~/api/types';
import { decimalOrZero } from '~/lib/money';
import { Link } from '~/ui/Link';
import { Money } from '~/ui/Money';
import { useNewest } from './overviewQueries';
import { transactionsPath } from './paths';
import { useBook } from './types';

/** The newest transactions, each with a link to its panel. */
export function Newest() {
  const { id, numbers, day, accountById } = useBook();
  const { data: rows = [] } = useNewest();
  const name = (account: Transaction['creditAccount']) => (account?.id && accountById.get(account.id)?.name) || account?.name || '';
  return (
    <section aria-labelledby="newest" className="overview-newest">
      <h2 id="newest">Newest transactions</h2>
      <table className="table">
        <thead>
          <tr><th scope="col">Date</th><th scope="col">Description</th><th scope="col" className="overview-sides">From and to</th><th scope="col" className="number">Amount</th></tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td className="muted">{day(row.date)}</td>
              <th scope="row" className="overview-description">
                <Link to={`${transactionsPath(id)}?panel=transaction:${row.id}`}><bdi>{row.description || 'Without description'}</bdi></Link>
              </th>
              <td className="muted overview-sides"><bdi>{name(row.creditAccount)}</bdi> → <bdi>{name(row.debitAccount)}</bdi></td>
              <td className="number"><Money value={decimalOrZero(row.amount)} style={numbers} /></td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="overview-more"><Link to={transactionsPath(id)}>All transactions</Link></p>
    </section>
  );
}
