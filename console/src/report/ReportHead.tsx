import { bookPath } from '~/book/paths';
import { useBook } from '~/book/types';
import { addDays } from '~/lib/dates';
import { Icon } from '~/ui/Icon';
import { Link } from '~/ui/Link';
import type { Report } from './rows';

/** What the report is about: period in words, currency, filters, and what is left out. */
export function ReportHead({ report }: { readonly report: Report }) {
  const { id, currency } = useBook();
  const { from, until, text } = report.period;
  const drafts = report.omittedDrafts;
  const search = new URLSearchParams(from ? { q: 'is:draft', period: `${from}..${until}` } : { q: `is:draft before:${addDays(until, 1)}` });
  return (
    <div className="report-heading">
      <h2>{text}</h2>
      <ul className="report-notes">
        {(report.book.currency || currency) && <li>Amounts in <bdi>{report.book.currency || currency}</bdi></li>}
        {report.filters.map((filter) => <li key={filter}>Only <bdi className="tag">{filter}</bdi></li>)}
        {drafts > 0 && (
          <li><Link to={`${bookPath(id, 'transactions')}?${search}`}>{drafts === 1 ? '1 draft' : `${drafts} drafts`}</Link> left out</li>
        )}
        {report.notes.map((note) => {
          const isWarning = note.startsWith('Not closed');
          return <li key={note} className={isWarning ? 'report-warning' : ''}>{isWarning && <Icon name="warning" size={13} />} {note}</li>;
        })}
      </ul>
    </div>
  );
}
