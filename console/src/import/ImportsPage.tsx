import { sentence } from '~/api/problem';
import { useBook } from '~/book/types';
import { ListMenu } from '~/export/ListMenu';
import { useHeaderInfo } from '~/frame/headerInfo';
import { formatInstant } from '~/lib/instant';
import { formatCount } from '~/lib/money';
import { navigate, useQueryState } from '~/lib/router';
import { Button } from '~/ui/Button';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { CheckField } from '~/ui/fields/ChoiceField';
import { AccountField } from '~/ui/fields/AccountField';
import { Link } from '~/ui/Link';
import '~/ui/page.css';
import { useReadFile } from './actions';
import { DropZone } from './DropZone';
import { importListing } from './listing';
import { importPath } from './paths';
import { useImports } from './queries';
import { isInterrupted, STATE_NAMES, type Import } from './types';
import './Import.css';

/** Takes a file, and lists the earlier imports. */
export default function ImportsPage() {
  const { id, book, can, accountById } = useBook();
  useHeaderInfo({ title: 'Import' });
  const canImport = can('POSTER') || book.permission === 'RECORDER';
  const [accountId, setAccount] = useQueryState('account');
  const [drafts, setDrafts] = useQueryState('drafts');
  const [trashed, setTrashed] = useQueryState('trashed');
  const read = useReadFile();
  const start = async (file: File) => {
    const options = { ...(accountId ? { account: accountId } : {}), ...(drafts ? { drafts: true } : {}), ...(trashed ? { trashed: true } : {}) };
    const started = await read.run({ source: { file, options } });
    if (started) navigate(importPath(id, started.id));
  };
  const account = accountById.get(accountId);
  const options = (
    <details className="import-options" open={accountId !== '' || drafts !== '' || trashed !== ''}>
      <summary>Options</summary>
      <div className="page-form">
        <AccountField
          label="Account of the statement"
          note="Only for files that do not name it. You are asked if it is needed."
          value={accountId}
          onChange={(value) => setAccount(value, { replace: true })}
          filter={(type) => type === 'ASSET' || type === 'LIABILITY'}
        />
        <div className="import-checks">
          <CheckField label="Unknown accounts become drafts" note="Without this they go to accounts for uncategorised ones, and the balance is that of the bank." value={drafts !== ''} onChange={(on) => setDrafts(on ? '1' : null, { replace: true })} />
          <CheckField label="Bring back what is in the trash" note="Records that somebody has thrown away." value={trashed !== ''} onChange={(on) => setTrashed(on ? '1' : null, { replace: true })} />
        </div>
      </div>
    </details>
  );
  return (
    <div className="page page-wide import-start">
      {canImport ? (
        <section aria-label="New import">
          <DropZone onFile={(file) => void start(file)} isPending={read.isPending} title={account ? `Drop a statement of ${account.name} here` : 'Drop the file of your bank here'} />
          {options}
        </section>
      ) : (
        <p className="muted">You can look at imports. To make one, you need the permission to record.</p>
      )}
      <Earlier />
    </div>
  );
}

function Earlier() {
  const { id } = useBook();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useImports(id);
  if (error && !data) return <EmptyState title="The imports cannot be loaded">{sentence(error)}</EmptyState>;
  if (!data) return <Loading label="Loading the imports" />;
  const list = data.pages.flatMap(({ items }) => items);
  if (list.length === 0) {
    return (
      <section aria-labelledby="how-it-works">
        <h2 id="how-it-works">How it works</h2>
        <ol className="import-steps">
          <li><strong>Read.</strong> Download a statement from your bank, and drop it here. You see what was recognized, and whether the balances agree.</li>
          <li><strong>Review.</strong> Each record says what happens to it and why. What is in the book already is not recorded twice.</li>
          <li><strong>Record.</strong> You can undo an import as a whole at any time.</li>
        </ol>
      </section>
    );
  }
  return (
    <section aria-labelledby="earlier-imports">
      <div className="page-head">
        <h2 id="earlier-imports">Earlier imports</h2>
        <ListMenu what="the imports" list={() => importListing(id)} />
      </div>
      <div className="table-scroll" tabIndex={0} role="region" aria-label="Earlier imports">
        <table className="table import-earlier">
          <thead>
            <tr>
              <th scope="col">File</th><th scope="col">State</th><th scope="col" className="number">New</th><th scope="col" className="number">All</th>
              <th scope="col">When</th><th scope="col" className="is-wide">By</th><th scope="col" className="is-wide">Recognized</th>
            </tr>
          </thead>
          <tbody>{list.map((run) => <EarlierRow key={run.id} run={run} />)}</tbody>
        </table>
      </div>
      {hasNextPage && <p className="page-actions"><Button isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>Show older imports</Button></p>}
    </section>
  );
}

function EarlierRow({ run }: { readonly run: Import }) {
  const { id, book, pattern, numbers } = useBook();
  return (
    <tr>
      <th scope="row"><Link to={importPath(id, run.id)}><bdi>{run.name || 'Without a name'}</bdi></Link></th>
      <td>{isInterrupted(run) ? 'Not finished' : STATE_NAMES[run.state]}</td>
      <td className="number">{formatCount(run.counts.new, numbers)}</td>
      <td className="number">{formatCount(run.counts.total, numbers)}</td>
      <td>{formatInstant(run.createdAt, pattern, book.timeZone)}</td>
      <td className="is-wide"><bdi>{run.createdBy}</bdi></td>
      <td className="is-wide"><span className="muted">{run.format}</span></td>
    </tr>
  );
}
