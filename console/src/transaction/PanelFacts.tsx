import type { Transaction } from '~/api/types';
import { accountPath, transactionsPath } from '~/book/paths';
import { useBooks } from '~/book/queries';
import { useBook } from '~/book/types';
import { formatDayLong } from '~/lib/dates';
import { parseDecimal } from '~/lib/money';
import { term } from '~/lib/query';
import { withParams } from '~/lib/router';
import { Link } from '~/ui/Link';
import { Money } from '~/ui/Money';
import { Fact, Facts } from '~/ui/SidePanel';
import { visible } from './changes';
import { Description } from './Description';
import { useFieldNames } from './FieldChoice';
import { formatInstant } from '~/lib/instant';
import { otherHalfOf } from './legs';

export function TransactionLink({ id, children }: { readonly id: string; readonly children: React.ReactNode }) {
  return <Link to={withParams({ panel: `transaction:${id}` })}>{children}</Link>;
}

const isWebAddress = (url: string): boolean => /^https?:\/\//i.test(url);

/** The fields of a transaction that cannot be edited now: checked, locked, in the trash, or without permission. */
export function FixedFields({ row }: { readonly row: Transaction }) {
  const { id: bookId, numbers, currency } = useBook();
  const names = useFieldNames();
  const side = (account: Transaction['creditAccount']) =>
    account?.name ? <Link to={accountPath(bookId, account.id!)}><bdi>{account.name}</bdi></Link> : <span className="tx-missing">missing</span>;
  return (
    <>
      <div className="tx-panel-top">
        <p className="tx-panel-text"><Description text={row.description || 'No description'} tags={row.tags ?? []} /></p>
        <p className="tx-panel-amount">
          {row.amount ? <Money value={parseDecimal(row.amount)} style={numbers} /> : <span className="tx-missing">no amount</span>}
          {row.amount && currency && <span className="muted"> {currency}</span>}
        </p>
      </div>
      <Facts>
        <Fact name="Date">{row.date ? formatDayLong(row.date) : <span className="tx-missing">missing</span>}</Fact>
        <Fact name={names.from}>{side(row.creditAccount)}</Fact>
        <Fact name={names.to}>{side(row.debitAccount)}</Fact>
        {Object.entries(visible(row.properties)).map(([key, value]) => <Fact key={key} name={key}><bdi>{value}</bdi></Fact>)}
        {(row.remoteIds ?? []).length > 0 && <Fact name="Remote ids"><bdi>{row.remoteIds!.join(', ')}</bdi></Fact>}
      </Facts>
    </>
  );
}

/** Facts that nobody edits: links, other half of a transfer, reversal, merge, author. */
export function Origin({ row, reversal }: { readonly row: Transaction; readonly reversal: string | undefined }) {
  const { id: bookId, pattern, book } = useBook();
  const { data: books = [] } = useBooks();
  const half = otherHalfOf(row, bookId);
  const reverses = row.properties?.['reverses'];
  const merged = (row.remoteIds ?? []).filter((id) => id.startsWith('merged_')).map((id) => id.slice('merged_'.length));
  return (
    <Facts>
      {(row.urls ?? []).map((url, index) => (
        <Fact key={index} name="Link">{isWebAddress(url) ? <a href={url} target="_blank" rel="noopener noreferrer"><bdi>{url}</bdi></a> : <bdi>{url}</bdi>}</Fact>
      ))}
      {half && <Fact name="Other half"><Link to={transactionsPath(half.bookId, term('entry_id', half.entryId))}>in <bdi>{books.find(({ id }) => id === half.bookId)?.name ?? 'another book'}</bdi></Link></Fact>}
      {reverses && <Fact name="Reverses"><TransactionLink id={reverses}>the original</TransactionLink></Fact>}
      {reversal && <Fact name="Reversed by"><TransactionLink id={reversal}>the opposite</TransactionLink></Fact>}
      {merged.length > 0 && (
        <Fact name="Merged from">{merged.map((id, index) => <span key={id}>{index > 0 && ', '}<TransactionLink id={id}>{index === 0 ? 'first' : 'second'}</TransactionLink></span>)}</Fact>
      )}
      {row.createdBy && (
        <Fact name="Recorded by"><bdi>{row.createdBy}</bdi>{row.agentName && <> with <bdi>{row.agentName}</bdi></>}{row.createdAt && <span className="muted"> · {formatInstant(row.createdAt, pattern, book.timeZone)}</span>}</Fact>
      )}
    </Facts>
  );
}
