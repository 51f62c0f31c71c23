import { useBook } from '~/book/types';
import { bookHomePath, transactionsPath, accountPath } from '~/book/paths';
import { downloadFile } from '~/file/FileView';
import { formatCount } from '~/lib/money';
import { navigate, withParams } from '~/lib/router';
import { Button } from '~/ui/Button';
import { ConfirmButton } from '~/ui/Confirm';
import { Icon } from '~/ui/Icon';
import { Link } from '~/ui/Link';
import { useUndoImport } from './actions';
import { sentenceCase } from './decisions';
import { importsPath } from './paths';
import type { Import } from './types';

/** The property that each transaction of an import has. */
const RUN_PROPERTY = 'import_run';

/** What was recorded, with links to it, and the undo of all of it. */
export function Result({ run }: { readonly run: Import }) {
  const { id: bookId, numbers, accounts } = useBook();
  const { counts } = run;
  const query = `${RUN_PROPERTY}:${run.id}`;
  const count = (value: number) => formatCount(value, numbers);
  const open = accounts.filter(({ name }) => /^Uncategorised (expenses|income)$/.test(name ?? ''));
  const sentence = [
    `${count(counts.new)} recorded`,
    ...(counts.drafts > 0 ? [`${count(counts.drafts)} of them as drafts`] : []),
    ...(counts.matched > 0 ? [`${count(counts.matched)} matched`] : []),
    ...(counts.existing > 0 ? [`${count(counts.existing)} were here already`] : []),
    ...(counts.skipped > 0 ? [`${count(counts.skipped)} skipped`] : []),
    ...(counts.refused > 0 ? [`${count(counts.refused)} refused`] : []),
  ].join(', ');
  return (
    <section className="import-result" aria-label="Result">
      <p><Icon name="check" size={14} /> <strong>{sentence}.</strong></p>
      <p className="page-actions">
        {counts.new > 0 && run.bookIds.length === 0 && <Button look="primary" onPress={() => navigate(transactionsPath(bookId, query))}>Show the transactions</Button>}
        {run.bookIds.map((id) => <Button key={id} look="primary" onPress={() => navigate(bookHomePath(id))}>Open the new book</Button>)}
        {run.bookIds.length === 0 && open.map((account) => <Link key={account.id} to={`${accountPath(bookId, account.id!)}?${new URLSearchParams({ q: query })}`}>Review {account.name}</Link>)}
        <ReportButton run={run} />
        <Button onPress={() => navigate(importsPath(bookId))}>Import another file</Button>
        <UndoButton run={run} />
      </p>
    </section>
  );
}

/** The report that the server stored when everything was recorded: the records as they were then. */
function ReportButton({ run }: { readonly run: Import }) {
  const { id: bookId } = useBook();
  const { reportFileId: id, name } = run;
  return id ? <Button onPress={() => void downloadFile(bookId, { id, name: `${name || 'Import'} report.csv` })}>Report</Button> : null;
}

/** Why the server stopped before everything was recorded or undone, and the undo of what was recorded. */
export function Interrupted({ run }: { readonly run: Import }) {
  const { numbers } = useBook();
  const { done, total } = run.progress;
  return (
    <section className="import-result" aria-label="Result">
      <p className="notice" role="alert"><Icon name="warning" /> <span>{sentenceCase(run.error ?? 'The import could not go on')}.</span></p>
      <p>
        The import stopped at {formatCount(done, numbers)} of {formatCount(total, numbers)} records.{' '}
        {run.target === 'NEW' ? 'Undo it before you import the file again.' : 'Undo it, or import the file again: what is in the book already is not recorded twice.'}
      </p>
      <p className="page-actions"><UndoButton run={run} /></p>
    </section>
  );
}

function UndoButton({ run }: { readonly run: Import }) {
  const undo = useUndoImport();
  return (
    <ConfirmButton
      label={undo.isPending ? 'Undoing' : 'Undo this import'}
      question="Undo this import?"
      confirm="Undo the import"
      isDisabled={undo.isPending}
      onConfirm={() => void undo.run(run)}
    >
      <p>Its transactions move to the trash. What somebody has changed, checked, merged, commented or put on a reconciliation since then stays, and is listed. Accounts that only this import uses are archived.</p>
    </ConfirmButton>
  );
}

/** What an undo has moved to the trash, and what it left and why. */
export function Undone({ run }: { readonly run: Import }) {
  const { id: bookId, numbers } = useBook();
  const { trashed = 0, archived = 0, left = [], leftCount = 0 } = run.undone ?? {};
  const count = (value: number, noun: string) => `${formatCount(value, numbers)} ${noun}${value === 1 ? '' : 's'}`;
  return (
    <section className="import-result" aria-label="Result of the undo">
      <p>
        <strong>This import was undone.</strong> {count(trashed, 'transaction')} moved to the trash{archived > 0 && `, ${count(archived, 'account')} archived`}.
        {' '}The file can be imported again. <Link to={importsPath(bookId)}>Import a file</Link>
      </p>
      <p className="page-actions"><ReportButton run={run} /></p>
      {leftCount > 0 && (
        <>
          <p>{count(leftCount, 'transaction')} {leftCount === 1 ? 'was' : 'were'} left as {leftCount === 1 ? 'it is' : 'they are'}:</p>
          <ul className="import-left" aria-label="Left as they are">
            {left.map(({ transactionId, reason }) => (
              <li key={transactionId}><Link to={withParams({ panel: `transaction:${transactionId}` })}>Open the transaction</Link> <span className="muted">{sentenceCase(reason)}</span></li>
            ))}
            {leftCount > left.length && <li className="muted">and {formatCount(leftCount - left.length, numbers)} more</li>}
          </ul>
        </>
      )}
    </section>
  );
}
