import { useQuery } from '@tanstack/react-query';
import { keys } from '~/api/cache';
import { api } from '~/api/client';
import type { Account } from '~/api/types';
import { bookPath } from '~/book/paths';
import { useBook } from '~/book/types';
import { ExportMenu } from '~/export/ExportMenu';
import { importsPath } from '~/import/paths';
import { formatCount, isZero, parseDecimal } from '~/lib/money';
import { joinQuery } from '~/lib/query';
import { usePath, useQueryState, withParams } from '~/lib/router';
import { Icon } from '~/ui/Icon';
import { Link } from '~/ui/Link';
import { useTransactionCount } from './queries';
import { asksForDrafts, UPCOMING } from './upcoming';
import './ListBar.css';

/** A line above the list: what is locked, how far the account is reconciled, and what the list hides. */
export function ListBar({ query, account }: { readonly query: string; readonly account: Account | undefined }) {
  const { id: bookId, book, day, can } = useBook();
  return (
    <div className="list-bar">
      {account?.permanent && <Reconciled account={account} />}
      {book.lockDate && <span><Icon name="lock" size={12} /> Locked up to {day(book.lockDate)}</span>}
      {book.closingDate && <span><Icon name="lock" size={12} /> Closed up to {day(book.closingDate)}</span>}
      <Upcoming query={query} />
      <span className="list-bar-end">
        {account?.permanent && can('POSTER') && <Link to={importsPath(bookId, account.id!)}>Import</Link>}
        {!account && <OtherList bookId={bookId} />}
        <ExportMenu query={query} />
      </span>
    </div>
  );
}

/** The trash beside the list, and the way back. */
function OtherList({ bookId }: { readonly bookId: string }) {
  const trash = bookPath(bookId, 'trash');
  const isTrash = usePath() === trash;
  return <Link to={isTrash ? bookPath(bookId, 'transactions') : trash}>{isTrash ? 'All transactions' : 'Trash'}</Link>;
}

/** The last day that a statement without a difference covers, and the number of unchecked rows. */
function Reconciled({ account }: { readonly account: Account }) {
  const { id: bookId, day, numbers } = useBook();
  const { data: last } = useQuery({
    queryKey: [...keys.book(bookId), 'reconciled', account.id],
    queryFn: async ({ signal }) => {
      const query = { account: account.id! };
      const { data } = await api.get('/v5/books/{bookId}/reconciliations', { path: { bookId }, query, signal });
      return data.items.filter(({ difference }) => isZero(parseDecimal(difference))).map(({ date }) => date).sort().at(-1) ?? '';
    },
  });
  const unchecked = useTransactionCount(`account:${account.id} is:unchecked`).data?.total;
  return (
    <>
      {last && <span><Icon name="check" size={12} /> Reconciled through {day(last)}</span>}
      {unchecked === 0 && <span>All checked</span>}
      {unchecked !== undefined && unchecked > 0 && <Link to={withParams({ q: 'is:unchecked' })}>{formatCount(unchecked, numbers)} unchecked</Link>}
    </>
  );
}

function Upcoming({ query }: { readonly query: string }) {
  const [shown, setShown] = useQueryState('upcoming');
  const base = query.replace(`-(${UPCOMING})`, '');
  const { numbers } = useBook();
  const total = useTransactionCount(joinQuery(base, UPCOMING)).data?.total ?? 0;
  if (total === 0 || (!shown && asksForDrafts(base))) return null;
  return (
    <label className="list-bar-toggle">
      <input type="checkbox" checked={shown !== ''} onChange={(event) => setShown(event.target.checked ? '1' : null)} />
      Show {formatCount(total, numbers)} upcoming
    </label>
  );
}
