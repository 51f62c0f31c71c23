import { useEffect, useMemo, useState } from 'react';
import { api } from '~/api/client';
import { sentence } from '~/api/problem';
import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { ExportMenu } from '~/export/ExportMenu';
import { useHeaderInfo } from '~/frame/headerInfo';
import { joinQuery } from '~/lib/query';
import { useQueryState, withParams } from '~/lib/router';
import { plural } from '~/transaction/actions';
import { changeOf, fieldsOf, isEmptyChange, type Fields } from '~/transaction/changes';
import { loadLater } from '~/transaction/later';
import { isEntry } from '~/transaction/lines';
import { useTransactionRows } from '~/transaction/queries';
import { useRowActions } from '~/transaction/rowActions';
import { useUpdate } from '~/transaction/update';
import { allRows, useLines } from '~/transaction/useLines';
import { Button } from '~/ui/Button';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { Link } from '~/ui/Link';
import { List, type ListColumn } from '~/ui/List';
import { useNarrow, usePrefs } from '~/ui/prefs';
import { runShortcut, useShortcut } from '~/ui/shortcuts';
import { showToast } from '~/ui/toasts';
import { useListState } from '~/ui/useListState';
import { DraftCells } from './DraftCells';
import { DraftEditor } from './DraftEditor';
import { isDue, missingFields, postable, trayQuery } from './tray';
import '~/transaction/TransactionList.css';
import './Drafts.css';

interface Editing {
  readonly row: Transaction;
  readonly fields: Fields;
  /** Also changes the later drafts of the same series. */
  readonly withLater: boolean;
  /** The version that the edit began on; with a newer one on the server both are shown. */
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

  const { lines, keyAt, rowsAt, rowsOf, isOpen, toggle } = useLines(useMemo(() => allRows(shown), [shown]));
  const state = useListState(lines.length, keyAt, `${query} ${tray}`);
  const [editing, setEditing] = useState<Editing>();
  const update = useUpdate();
  const actions = useRowActions();

  const targets = () => rowsOf(state.targets());
  const edit = (row: Transaction | undefined) => {
    if (!row || row.id === editing?.row.id) return;
    const entry = lines.find((line) => isEntry(line) && line.legs.some((at) => shown[at]?.id === row.id));
    if (isEntry(entry)) toggle(entry.key, true);
    void api.get('/v5/books/{bookId}/transactions/{id}', { path: { bookId, id: row.id! } }).then(
      ({ data, etag }) => setEditing({ row: data, fields: fieldsOf(data), withLater: false, etag }),
      (error: unknown) => showToast(sentence(error), { tone: 'error' }),
    );
  };
  const setOpen = (index: number, open?: boolean) => {
    const line = lines[index];
    if (!isEntry(line)) return false;
    toggle(line.key, open);
    return true;
  };
  /** An entry opens to its legs, which are edited. */
  const editAt = (index: number) => {
    if (!setOpen(index)) edit(rowsAt(index)[0]);
  };
  const endEdit = () => {
    setEditing(undefined);
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.list-drafts')?.focus());
  };
  const save = async () => {
    if (!editing || update.isPending) return undefined;
    const { row, fields, withLater, etag } = editing;
    const change = changeOf(row, fields);
    if (isEmptyChange(change)) return endEdit();
    try {
      const later = withLater ? await loadLater(bookId, row, change) : [];
      const done = later.length > 0 ? `Changed ${plural(later.length + 1, 'draft')} of the series` : 'Saved the draft';
      if (await update.run({ updates: [{ row, change }, ...later], etag, done })) endEdit();
    } catch (error) {
      showToast(sentence(error), { tone: 'error' });
    }
    return undefined;
  };
  const postRows = async (wanted: readonly Transaction[]) => {
    const open = wanted.filter((row) => missingFields(row).length > 0);
    if (open.length > 0) {
      showToast(`${plural(open.length, 'draft')} cannot be posted yet: something is missing`);
      return edit(open[0]);
    }
    if (wanted.length > 0 && (await actions.post(wanted))) state.clear();
  };
  const mayPost = can('POSTER');
  useShortcut('post', () => void postRows(targets()), mayPost);
  useShortcut('post-due', () => (ready.length > 0 ? void postRows(ready) : showToast('No complete draft is due')), mayPost);
  useShortcut('edit', () => editAt(Math.max(state.cursor, 0)), mayPost);
  useShortcut('trash', () => void actions.trash(targets()).then((done) => done && state.clear()), mayPost);
  useShortcut('open-legs', () => setOpen(state.cursor, true));
  useShortcut('close-legs', () => setOpen(state.cursor, false));

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
        <ExportMenu query={trayQuery(tray, text)} />
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
          onOpen={(index) => mayPost && editAt(index)}
          rowClass={(index) => (!isEntry(lines[index]) && rowsAt(index)[0]?.id === editing?.row.id && !isNarrow ? 'is-editing' : '')}
          renderRow={(index) => {
            const line = lines[index];
            const legs = rowsAt(index);
            const [row] = legs;
            if (!row) return null;
            if (editor && !isNarrow && !isEntry(line) && row.id === editing.row.id) return editor;
            const entry = isEntry(line) ? { isOpen: isOpen(line.key), onToggle: () => toggle(line.key) } : undefined;
            return <DraftCells rows={legs} entry={entry} isLeg={typeof line === 'object' && !entry} onEdit={mayPost ? () => editAt(index) : undefined} onPost={mayPost ? () => void postRows(legs) : undefined} />;
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
