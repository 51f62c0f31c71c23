import { isProblem, sentence } from '~/api/problem';
import { useBook } from '~/book/types';
import { useUser } from '~/book/queries';
import { useHeaderInfo } from '~/frame/headerInfo';
import { formatCount } from '~/lib/money';
import { useQueryState } from '~/lib/router';
import { Button } from '~/ui/Button';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { Link } from '~/ui/Link';
import '~/ui/page.css';
import { ChangedNote } from './ChangedNote';
import { ConfirmBar } from './ConfirmBar';
import { useDecisions } from './decisionStore';
import { isJournal } from './journal';
import { JournalOptions } from './JournalOptions';
import { OutcomeTabs } from './OutcomeTabs';
import { importsPath } from './paths';
import { useImport } from './queries';
import { QuestionForm } from './QuestionForm';
import { Recognised } from './Recognised';
import { RecordList } from './RecordList';
import { Interrupted, Result, Undone } from './Result';
import { isInterrupted, readOutcome, STATE_NAMES, type Import } from './types';
import './Import.css';

/** An import from its preview to its undo. The address has the outcome that is shown. */
export default function ImportPage({ importId = '' }: { importId?: string }) {
  const { id: bookId, numbers } = useBook();
  const { data: run, error, refetch } = useImport(bookId, importId);
  const total = run?.counts.total ?? 0;
  useHeaderInfo({
    title: run ? `Import of ${run.name || 'a file'}` : 'Import',
    result: run && total > 0 ? `${formatCount(total, numbers)} ${total === 1 ? 'record' : 'records'}` : undefined,
  });
  if (isProblem(error, 'notFound')) {
    return (
      <EmptyState title="No such import" actions={<Link to={importsPath(bookId)}>All imports</Link>}>
        A preview is kept for an hour, and then removed. Nothing of it was recorded. Drop the file again.
      </EmptyState>
    );
  }
  if (!run) return error ? <EmptyState title="The import cannot be loaded" actions={<Button onPress={() => void refetch()}>Try again</Button>}>{sentence(error)}</EmptyState> : <Loading label="Loading the import" />;
  if (run.state === 'READING') return <Reading run={run} />;
  if (run.state === 'FAILED' && !isInterrupted(run)) return <QuestionForm key={run.id} run={run} />;
  return <Records run={run} />;
}

function Reading({ run }: { readonly run: Import }) {
  return (
    <div className="page import-reading" role="status">
      <p>Daybook reads <bdi>{run.name || 'the file'}</bdi>, and looks for what the book has already.</p>
      <Loading label="Reading the file" />
    </div>
  );
}

function Records({ run }: { readonly run: Import }) {
  const [text] = useQueryState('outcome');
  const outcome = readOutcome(text);
  const decisions = useDecisions(run.id);
  const username = useUser().data?.username;
  const isAuthor = run.createdBy === username;
  const canDecide = run.state === 'PREVIEW' && isAuthor;
  return (
    <div className="import">
      <Recognised run={run} />
      {run.state === 'PREVIEW' && <ChangedNote run={run} />}
      {canDecide && isJournal(run) && <JournalOptions run={run} />}
      {canDecide && <ConfirmBar run={run} decisions={decisions} />}
      {run.state === 'PREVIEW' && username !== undefined && !isAuthor && <p className="import-note">This is a preview of <bdi>{run.createdBy}</bdi>. Only they can record it.</p>}
      {(run.state === 'RECORDING' || run.state === 'UNDOING') && <Progress run={run} />}
      {run.state === 'DONE' && <Result run={run} />}
      {isInterrupted(run) && <Interrupted run={run} />}
      {run.state === 'UNDONE' && <Undone run={run} />}
      <OutcomeTabs run={run} decisions={decisions} outcome={outcome} />
      <RecordList run={run} outcome={outcome} canDecide={canDecide} />
    </div>
  );
}

function Progress({ run }: { readonly run: Import }) {
  const { numbers } = useBook();
  const { done, total } = run.progress;
  return (
    <div className="import-progress">
      <progress max={Math.max(1, total)} value={done} aria-label={STATE_NAMES[run.state]} />
      <span role="status">{STATE_NAMES[run.state]}: {formatCount(done, numbers)} of {formatCount(total, numbers)} records</span>
      <span className="muted">You can leave this page. The server goes on.</span>
    </div>
  );
}
