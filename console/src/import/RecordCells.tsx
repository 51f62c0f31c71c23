import { useBook } from '~/book/types';
import { decimalOrZero } from '~/lib/money';
import { withParams } from '~/lib/router';
import { Cell } from '~/ui/List';
import { Link } from '~/ui/Link';
import { Money } from '~/ui/Money';
import { reasonOf, type Proposal } from './decisions';
import { OUTCOME_NAMES, type ImportRecord } from './types';

export const percent = (confidence: number): string => `${Math.floor(confidence * 100)} %`;

/** The cells of a record: what becomes of it, and why. */
export function RecordCells({ record, proposal, isChanged, onAccept }: {
  readonly record: ImportRecord;
  readonly proposal: Proposal;
  /** Whether its outcome has changed since the preview before. */
  readonly isChanged: boolean;
  /** Accepts the suggestion; undefined if it is too late. */
  readonly onAccept: (() => void) | undefined;
}) {
  const { day, numbers } = useBook();
  const { date, amount, transactionId } = record;
  const text = [proposal.description, ...proposal.tags.map((tag) => `#${tag}`)].join(' ').trim();
  const reason = reasonOf(record, proposal);
  return (
    <>
      <Cell className="import-date">{date ? day(date) : <span className="muted">no date</span>}</Cell>
      <Cell className="import-outcome">
        <span className={`import-mark is-${proposal.outcome.toLowerCase()}`}>{record.draft && proposal.outcome === 'NEW' ? 'Draft' : OUTCOME_NAMES[proposal.outcome]}</span>
        {isChanged && <span className="badge badge-warning">changed</span>}
      </Cell>
      <Cell className="import-description" title={text || undefined}>{text ? <bdi>{text}</bdi> : <span className="muted">Line {record.line ?? record.record}</span>}</Cell>
      <Cell className="import-account"><OtherAccount record={record} proposal={proposal} onAccept={onAccept} /></Cell>
      <Cell isNumber className="import-amount">{amount !== undefined && <Money value={decimalOrZero(amount)} style={numbers} />}</Cell>
      <Cell className={`import-why ${proposal.outcome === 'REFUSED' ? 'is-refused' : ''}`} title={reason}>
        {transactionId && proposal.outcome === record.outcome
          ? <Link to={withParams({ panel: `transaction:${transactionId}` })} tabIndex={-1}>{record.outcome === 'NEW' ? 'Open the transaction' : reason}</Link>
          : reason}
      </Cell>
    </>
  );
}

function OtherAccount({ record, proposal, onAccept }: { readonly record: ImportRecord; readonly proposal: Proposal; readonly onAccept: (() => void) | undefined }) {
  const { suggestion, legs } = record;
  if (proposal.outcome === 'SKIPPED' || proposal.outcome === 'REFUSED') return null;
  if (legs && legs.length > 0) return <span title={legs.map(({ account }) => account?.name ?? 'open').join(', ')}>{legs.length} parts</span>;
  if (proposal.isOffered && suggestion && onAccept) {
    const share = percent(suggestion.confidence);
    return (
      <button type="button" className="import-offer" tabIndex={-1} onClick={onAccept} aria-label={`Accept ${suggestion.account.name}, ${share} sure`}>
        <bdi>{suggestion.account.name}</bdi>? <span className="import-share">{share}</span>
      </button>
    );
  }
  if (!proposal.account) return proposal.outcome === 'NEW' ? <span className="import-open">{record.draft ? 'Open' : 'Uncategorised'}</span> : null;
  return (
    <span className={`import-by-${proposal.source}`}>
      <bdi>{proposal.account}</bdi>
      {proposal.source === 'suggestion' && suggestion && <span className="import-share"> {percent(suggestion.confidence)}</span>}
      {proposal.account && !proposal.accountId && <span className="import-share"> new</span>}
    </span>
  );
}
