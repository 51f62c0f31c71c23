import { useBook } from '~/book/types';
import { ListMenu } from '~/export/ListMenu';
import { formatCount } from '~/lib/money';
import { withParams } from '~/lib/router';
import { Link } from '~/ui/Link';
import '~/ui/Tabs.css';
import { countOf, countOutcomes, type Decisions } from './decisions';
import { recordListing } from './listing';
import { OUTCOME_NAMES, OUTCOMES, type Import, type Outcome } from './types';

/** The records by outcome. Each group is a link; the counts include the decisions and add up to the file. */
export function OutcomeTabs({ run, decisions, outcome }: { readonly run: Import; readonly decisions: Decisions; readonly outcome: Outcome | undefined }) {
  const { id: bookId, numbers } = useBook();
  const counts = countOutcomes(run.counts, decisions);
  const tab = (value: Outcome | undefined, name: string, count: number, was: number) => (
    <Link key={name} to={withParams({ outcome: value ?? null, panel: null })} aria-current={value === outcome ? 'page' : undefined} className={value === 'REFUSED' && count > 0 ? 'is-refused' : ''}>
      {name} <span className="import-count">{formatCount(count, numbers)}</span>
      {count !== was && <span className="muted"> was {formatCount(was, numbers)}</span>}
    </Link>
  );
  return (
    <div className="import-tabs">
      <nav className="tabs" aria-label="Outcomes">
        {tab(undefined, 'All', run.counts.total, run.counts.total)}
        {OUTCOMES.map((value) => tab(value, OUTCOME_NAMES[value], counts[value], countOf(run.counts, value)))}
      </nav>
      <ListMenu what="the records" list={() => recordListing(bookId, run, outcome, decisions)} />
    </div>
  );
}
