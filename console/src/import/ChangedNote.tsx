import { useMemo } from 'react';
import { useBook } from '~/book/types';
import { decimalOrZero } from '~/lib/money';
import { withParams } from '~/lib/router';
import { Icon } from '~/ui/Icon';
import { Link } from '~/ui/Link';
import { sentenceCase } from './decisions';
import { knownRecords, useRecordsByNumber } from './queries';
import { OUTCOME_NAMES, type Import, type ImportRecord } from './types';

const SHOWN = 100;

/** What differs from the preview that was confirmed: a book that others change may have the record by now. */
export function ChangedNote({ run }: { readonly run: Import }) {
  const { id: bookId, day, money } = useBook();
  const numbers = useMemo(() => run.changedRecords.slice(0, SHOWN), [run.changedRecords]);
  const { data: now } = useRecordsByNumber(bookId, run, numbers);
  const before = useMemo(() => knownRecords(bookId, run, 'before'), [bookId, run]);
  if (numbers.length === 0) return null;
  const name = (record: ImportRecord | undefined) => (record ? OUTCOME_NAMES[record.outcome] : undefined);
  return (
    <section className="import-changed" aria-label="Differences" role="status">
      <h2><Icon name="warning" size={13} /> The book has changed, and nothing was recorded</h2>
      <p>{numbers.length === 1 ? 'This record has another outcome or match now.' : `These ${numbers.length} records have another outcome or match now.`} Your decisions are kept. Look at them, and record again.</p>
      <ul>
        {numbers.map((number) => {
          const record = now?.get(number);
          const old = name(before.get(number));
          const outcome = name(record);
          return (
            <li key={number}>
              <Link to={withParams({ panel: `import-record:${run.id}:${number}` })}>Record {number}</Link>
              {record && (
                <>
                  {' '}<bdi>{record.description}</bdi>{' '}
                  <span className="muted">{record.date && day(record.date)} {record.amount !== undefined && money(decimalOrZero(record.amount))}</span>{' '}
                  <span>{old && old !== outcome ? `${old} → ${outcome}` : outcome}</span>
                  {record.reason && <span className="muted">: {sentenceCase(record.reason)}</span>}
                </>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
