import { useQuery } from '@tanstack/react-query';
import { keys } from '~/api/cache';
import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { decimalOrZero, sum } from '~/lib/money';
import { Money } from '~/ui/Money';
import { loadLegs } from './legs';
import { entryIdOf } from './lines';
import { TransactionLink } from './PanelFacts';

/** The other legs of the entry that a transaction belongs to. */
export function LegsSection({ row }: { readonly row: Transaction }) {
  const { id: bookId, numbers } = useBook();
  const entryId = entryIdOf(row);
  const { data: legs } = useQuery({
    queryKey: [...keys.book(bookId), 'legs', entryId, Boolean(row.trashed)],
    enabled: entryId !== undefined,
    queryFn: () => loadLegs(bookId, [entryId!], Boolean(row.trashed)),
  });
  if (!legs || legs.length < 2) return null;
  return (
    <section className="panel-section">
      <h3>Legs of this entry</h3>
      <table className="tx-legs-table">
        <tbody>
          {legs.map((leg) => (
            <tr key={leg.id} aria-current={leg.id === row.id ? 'true' : undefined}>
              <td><TransactionLink id={leg.id!}><bdi>{leg.creditAccount?.name ?? 'missing'}</bdi> → <bdi>{leg.debitAccount?.name ?? 'missing'}</bdi></TransactionLink></td>
              <td className="number"><Money value={decimalOrZero(leg.amount)} style={numbers} /></td>
            </tr>
          ))}
        </tbody>
        <tfoot><tr><th scope="row">Sum</th><td className="number"><Money value={sum(legs.map((leg) => decimalOrZero(leg.amount)))} style={numbers} /></td></tr></tfoot>
      </table>
      <p className="muted">Check, date, tag, trash and undo take all legs.</p>
    </section>
  );
}
