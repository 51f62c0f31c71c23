import { useState } from 'react';
import { isProblem } from '~/api/problem';
import { useBook } from '~/book/types';
import { listOf } from '~/export/csv';
import { ListMenu } from '~/export/ListMenu';
import { Button } from '~/ui/Button';
import { DateField } from '~/ui/fields/DateField';
import { Icon } from '~/ui/Icon';
import { Link } from '~/ui/Link';
import { Modal } from '~/ui/Modal';
import { useClosePeriod } from './actions';
import { suggestedDay, type Closing } from './closing';
import { formatInstant } from '~/lib/instant';
import { reportPath } from './names';
import { CLOSING_COLUMNS } from './listing';
import { useClosings } from './queries';

/** Closes a period, and lists the earlier closings with their files and what has changed since. */
export function Closings() {
  const { id, book, day, can } = useBook();
  const { data, error } = useClosings();
  return (
    <section className="report-closings" aria-labelledby="closings">
      <h2 id="closings">Close a period</h2>
      <p className="muted">
        {book.closingDate ? `The books are closed up to ${day(book.closingDate)}.` : 'The books are open.'} Closing stores the trial balance, the
        balance sheet and the income statement as files, and locks all days up to the closing day.
      </p>
      {can('EDITOR') ? <CloseForm /> : <p className="muted">To close a period, you need the permission to edit.</p>}
      {book.closingDate && <p><Link to={reportPath(id, 'changes')}>What has changed since the last closing</Link></p>}
      {error ? (
        <p className="muted">{isProblem(error, 'forbidden') ? 'You cannot see the files of the book.' : 'The earlier closings cannot be loaded.'}</p>
      ) : data && data.length > 0 ? (
        <ClosingTable closings={data} />
      ) : null}
    </section>
  );
}

function CloseForm() {
  const { book, today, day } = useBook();
  const closed = book.closingDate ?? '';
  const [date, setDate] = useState(() => suggestedDay(today, closed));
  const [isAsking, setAsking] = useState(false);
  const close = useClosePeriod();
  const confirm = async () => {
    setAsking(false);
    if (await close.run(date)) setDate('');
  };
  return (
    <form
      noValidate
      className="report-close"
      aria-label="Close a period"
      onSubmit={(event) => {
        event.preventDefault();
        if (date) setAsking(true);
      }}
    >
      <DateField label="Closing day" value={date} onChange={setDate} error={date && date < closed ? `closed up to ${day(closed)} already` : undefined} />
      <Button type="submit" look="primary" isDisabled={!date || date < closed || close.isPending}>{close.isPending ? 'Closing' : 'Close the period'}</Button>
      <Modal label="Close the period" isOpen={isAsking} onClose={() => setAsking(false)}>
        <div className="report-confirm">
          <h2>Close the books up to {day(date)}?</h2>
          <p>Nobody can record or change transactions of these days any more. Only the owner can open them again. The stored files stay.</p>
          <div className="report-confirm-buttons">
            <Button onPress={() => setAsking(false)}>Cancel</Button>
            <Button look="primary" autoFocus onPress={() => void confirm()}>Close the period</Button>
          </div>
        </div>
      </Modal>
    </form>
  );
}

function ClosingTable({ closings }: { readonly closings: readonly Closing[] }) {
  const { id, day, pattern, book } = useBook();
  return (
    <>
      <div className="page-head">
        <h2 id="earlier-closings">Earlier closings</h2>
        <ListMenu what="the closings" list={() => listOf(CLOSING_COLUMNS, closings)} />
      </div>
      <table className="report-table" aria-labelledby="earlier-closings">
        <thead>
          <tr><th scope="col">Up to</th><th scope="col">Closed on</th><th scope="col">Files</th><th scope="col">Since then</th></tr>
        </thead>
        <tbody>
          {closings.map((closing) => (
            <tr key={`${closing.date} ${closing.event}`}>
              <td>{day(closing.date)}</td>
              <td title={closing.event ? `After event ${closing.event}` : undefined}>{formatInstant(closing.createdAt, pattern, book.timeZone)}</td>
              <td>
                <ul>
                  {closing.files.map((file) => (
                    <li key={file.id}>
                      <Icon name="file" size={13} /> {/^https?:/.test(file.url ?? '') ? <a href={file.url} target="_blank" rel="noreferrer"><bdi>{file.name}</bdi></a> : <bdi>{file.name}</bdi>}
                    </li>
                  ))}
                </ul>
              </td>
              <td>{closing.event && <Link to={reportPath(id, 'changes', { after: closing.event })}>Changes</Link>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
