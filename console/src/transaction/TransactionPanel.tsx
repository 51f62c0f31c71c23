import { sentence } from '~/api/problem';
import { accountPath } from '~/book/paths';
import { useBook } from '~/book/types';
import type { PanelProps } from '~/frame/registry';
import { formatDayLong } from '~/lib/dates';
import { parseDecimal } from '~/lib/money';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { Link } from '~/ui/Link';
import { Money } from '~/ui/Money';
import { Fact, Facts, SidePanel } from '~/ui/SidePanel';
import { usePrefs } from '~/ui/prefs';
import { Description } from './Description';
import { useTransaction } from './queries';
import { StatusMark, statusOf } from './StatusMark';
import './TransactionPanel.css';

/** One transaction in full. */
export default function TransactionPanel({ id, close }: PanelProps) {
  const { id: bookId, numbers, currency } = useBook();
  const { data, error } = useTransaction(id);
  const { accountingTerms } = usePrefs();
  if (error) return <SidePanel title="Transaction" onClose={close}><EmptyState title="It cannot be shown">{sentence(error)}</EmptyState></SidePanel>;
  if (!data) return <SidePanel title="Transaction" onClose={close}><Loading /></SidePanel>;
  const { transaction: row } = data;
  const side = (account: typeof row.creditAccount) =>
    account?.name ? <Link to={accountPath(bookId, account.id!)}><bdi>{account.name}</bdi></Link> : <span className="tx-missing">missing</span>;
  return (
    <SidePanel title={row.posted ? 'Transaction' : 'Draft'} onClose={close}>
      <div className="tx-panel-top">
        <p className="tx-panel-text"><Description text={row.description || 'No description'} tags={row.tags ?? []} /></p>
        <p className="tx-panel-amount">
          {row.amount ? <Money value={parseDecimal(row.amount)} style={numbers} /> : <span className="tx-missing">no amount</span>}
          {row.amount && currency && <span className="muted"> {currency}</span>}
        </p>
      </div>
      <Facts>
        <Fact name="Date">{row.date ? formatDayLong(row.date) : <span className="tx-missing">missing</span>}</Fact>
        <Fact name={accountingTerms ? 'Credit' : 'From'}>{side(row.creditAccount)}</Fact>
        <Fact name={accountingTerms ? 'Debit' : 'To'}>{side(row.debitAccount)}</Fact>
        <Fact name="Status"><span className="tx-panel-status"><StatusMark transaction={row} /> {statusOf(row)}</span></Fact>
        {row.createdBy && <Fact name="Recorded by"><bdi>{row.createdBy}</bdi>{row.agentName && ` with ${row.agentName}`}</Fact>}
        {Object.entries(row.properties ?? {}).filter(([key]) => !key.endsWith('_')).map(([key, value]) => (
          <Fact key={key} name={key}><bdi>{value}</bdi></Fact>
        ))}
      </Facts>
    </SidePanel>
  );
}
