import { useCallback, useEffect, useMemo, useState } from 'react';
import { sentence } from '~/api/problem';
import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { useHeaderInfo } from '~/frame/headerInfo';
import { joinQuery } from '~/lib/query';
import { useQueryState, withParams } from '~/lib/router';
import { plural, useTrash } from '~/transaction/actions';
import { useTransactionRows } from '~/transaction/queries';
import { Button } from '~/ui/Button';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { Link } from '~/ui/Link';
import { List, type ListColumn } from '~/ui/List';
import { useNarrow, usePrefs } from '~/ui/prefs';
import { runShortcut, useShortcut } from '~/ui/shortcuts';
import { showToast } from '~/ui/toasts';
import { useListState } from '~/ui/useListState';
import { postable, readDraft, usePostDrafts, useUpdateDraft } from './actions';
import { DraftCells } from './DraftCells';
import { DraftEditor } from './DraftEditor';
import { isDue, missingFields, toFields, type DraftFields } from './tray';
import '~/transaction/TransactionList.css';
import './Drafts.css';

interface Editing {
  readonly row: Transaction;
  readonly fields: DraftFields;
  readonly withLater: boolean;
  /** The version that the edit began on; a newer one on the server refuses the save. */
  readonly etag: string | undefined;
}

/** The drafts tray: what each draft lacks, completed in place and posted by one key. */
export default function DraftsPage() {
  const { id: bookId, today, lockedUntil, can } = useBook();
  const { accountingTerms } = usePrefs();
  const isNarrow = useNarrow();
  const [text] = useQueryState('q');
  const [tray] = useQueryState('tray');
  const query = joinQuery('is:draft', text);
  const rows = useTransactionRows(query);
  // Pages of a list change in place.
  const version = rows.getVersion();
  const [due, upcoming] = useMemo(() => {
    const found = rows.rows.filter((row) => !row.posted && !row.trashed);
    return [found.filter((row) => isDue(row, today)), found.filter((row) => !isDue(row, today)).reverse()];
  }, [rows, version, today]); // eslint-disable-line react-hooks/exhaustive-deps
  const shown = tray === 'upcoming' ? upcoming : due;
  const ready = postable(due, today, lockedUntil);
  useEffect(() => {
    if (!rows.isComplete && !rows.error && !rows.isLoading) void rows.loadMore();
  });
  useHeaderInfo({ title: 'Drafts', warnings: rows.warnings, result: rows.isComplete ? plural(rows.rows.length, 'draft') : undefined });

  const keyAt = useCallback((index: number) => shown[index]?.id ?? String(index), [shown]);
  const state = useListState(shown.length, keyAt, `${query} ${tray}`);
  const [editing, setEditing] = useState<Editing>();
  const update = useUpdateDraft();
  const post = usePostDrafts();
  const trash = useTrash();

  const targets = () => {
    const ids = new Set(state.targets());
    return shown.filter((row) => ids.has(row.id!));
  };
  const edit = (row: Transaction | undefined) => {
    if (!row || row.id === editing?.row.id) return;
    void readDraft(bookId, row.id!).then(
      ({ data, etag }) => setEditing({ row: data, fields: toFields(data), withLater: false, etag }),
      (error: unknown) => showToast(sentence(error), { tone: 'error' }),
    );
  };
  const endEdit = () => {
    setEditing(undefined);
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.list-drafts')?.focus());
  };
  const save = async () => {
    if (!editing || update.isPending) return;
    if (await update.run(editing)) endEdit();
  };
  const postRows = async (wanted: readonly Transaction[]) => {
    const open = wanted.filter((row) => missingFields(row).length > 0);
    if (open.length > 0) {
      showToast(`${plural(open.length, 'draft')} cannot be posted yet: something is missing`);
      return edit(open[0]);
    }
    if (wanted.length > 0 && (await post.run(wanted))) state.clear();
  };
  const mayPost = can('POSTER');
  useShortcut('post', () => void postRows(targets()), mayPost);
  useShortcut('post-due', () => (ready.length > 0 ? void postRows(ready) : showToast('No complete draft is due')), mayPost);
  useShortcut('edit', () => edit(shown[Math.max(state.cursor, 0)]), mayPost);
  useShortcut('trash', () => {
    const wanted = targets();
    if (wanted.length > 0) void trash.run(wanted).then((done) => done && state.clear());
  }, mayPost);

  if (rows.error && rows.rows.length === 0) {
    return <EmptyState title="The drafts cannot be loaded" actions={<Button onPress={() => void rows.loadMore()}>Try again</Button>}>{sentence(rows.error)}</EmptyState>;
  }
  const editor = editing && (
    <DraftEditor
      key={editing.row.id}
      row={editing.row}
      fields={editing.fields}
      withLater={editing.withLater}
      isCard={isNarrow}
      isSaving={update.isPending}
      onChange={(fields) => setEditing({ ...editing, fields })}
      onWithLater={(withLater) => setEditing({ ...editing, withLater })}
      onSave={() => void save()}
      onCancel={endEdit}
    />
  );
  return (
    <>
      <div className="draft-bar">
        <nav aria-label="Trays" className="draft-trays">
          <Link to={withParams({ tray: null })} aria-current={tray !== 'upcoming' ? 'page' : undefined}>Due <span className="muted">{due.length}</span></Link>
          <Link to={withParams({ tray: 'upcoming' })} aria-current={tray === 'upcoming' ? 'page' : undefined}>Upcoming <span className="muted">{upcoming.length}</span></Link>
        </nav>
        {mayPost && tray !== 'upcoming' && ready.length > 0 && <Button shortcut="post-due" onPress={() => runShortcut('post-due')}>Post {plural(ready.length, 'complete draft')}</Button>}
      </div>
      {isNarrow && editor}
      {shown.length === 0 && rows.isComplete ? (
        <NoDrafts isUpcoming={tray === 'upcoming'} isFiltered={text !== ''} />
      ) : (
        <List
          label={tray === 'upcoming' ? 'Upcoming drafts' : 'Due drafts'}
          name="drafts"
          columns={columns(accountingTerms)}
          state={state}
          onOpen={(index) => mayPost && edit(shown[index])}
          rowClass={(index) => (shown[index]?.id === editing?.row.id && !isNarrow ? 'is-editing' : '')}
          renderRow={(index) => {
            const row = shown[index];
            if (!row) return null;
            if (editor && !isNarrow && row.id === editing.row.id) return editor;
            return <DraftCells row={row} onEdit={mayPost ? () => edit(row) : undefined} onPost={mayPost ? () => void postRows([row]) : undefined} />;
          }}
          empty={<Loading label="Loading drafts" />}
        />
      )}
    </>
  );
}

const columns = (accountingTerms: boolean): ListColumn[] => [
  { key: 'date', title: 'Date' },
  { key: 'description', title: 'Description' },
  { key: 'from', title: accountingTerms ? 'Credit' : 'From' },
  { key: 'to', title: accountingTerms ? 'Debit' : 'To' },
  { key: 'amount', title: 'Amount', isNumber: true },
  { key: 'state', title: 'To do' },
];

function NoDrafts({ isUpcoming, isFiltered }: { readonly isUpcoming: boolean; readonly isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No draft matches the query">Clear the query box to see all drafts.</EmptyState>;
  if (isUpcoming) return <EmptyState title="Nothing is planned">Use <i>Repeat</i> in the form (<kbd>Shift</kbd> <kbd>N</kbd>) for rent, wages or a savings plan. The repetitions wait here until their day.</EmptyState>;
  return <EmptyState title="No draft is due">A draft affects no balance. Lines that lack an account, an amount or a date wait here, and so does what others record for you.</EmptyState>;
}
