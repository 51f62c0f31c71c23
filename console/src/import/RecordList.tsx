import { useCallback, useMemo, useRef, useState } from 'react';
import { sentence } from '~/api/problem';
import { useBook } from '~/book/types';
import { navigate, useQueryState, withParams } from '~/lib/router';
import { Button } from '~/ui/Button';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { List, type ListColumn } from '~/ui/List';
import { useNarrow } from '~/ui/prefs';
import { useListState } from '~/ui/useListState';
import { changeDecisions } from './actions';
import { acceptSuggestions, proposalOf, type Decisions } from './decisions';
import { readDecisions, useDecisions } from './decisionStore';
import { useRecords } from './queries';
import { RecordCells } from './RecordCells';
import { RecordEditor } from './RecordEditor';
import { fieldsOf, problemOf, saveFields, type RecordFields } from './recordFields';
import { OUTCOME_NAMES, type Import, type ImportRecord, type Outcome } from './types';
import { useRecordKeys } from './useRecordKeys';
import './Records.css';

const COLUMNS: readonly ListColumn[] = [
  { key: 'date', title: 'Date' }, { key: 'outcome', title: 'Outcome' }, { key: 'description', title: 'Description' },
  { key: 'account', title: 'Other account' }, { key: 'amount', title: 'Amount', isNumber: true }, { key: 'why', title: 'Why' },
];

interface Editing {
  readonly record: ImportRecord;
  readonly fields: RecordFields;
}

/** The records of an import with an outcome, or all, as a virtual list. */
export function RecordList({ run, outcome, canDecide }: { readonly run: Import; readonly outcome: Outcome | undefined; readonly canDecide: boolean }) {
  const { id: bookId } = useBook();
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useRecords(bookId, run, outcome);
  const records = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const decisions = useDecisions(run.id);
  // The list numbers its row elements, so a key is more than a number.
  const keyAt = useCallback((index: number) => keyOf(records[index]), [records]);
  const state = useListState(records.length, keyAt, `${run.id} ${outcome ?? ''}`);
  const changed = useMemo(() => new Set(run.changedRecords), [run.changedRecords]);
  const [panel, setPanel] = useQueryState('panel');
  const isNarrow = useNarrow();
  const frame = useRef<HTMLDivElement>(null);
  const [editing, setEditing] = useState<Editing>();
  // Keys arrive before the next render: the newest text is kept here.
  const latest = useRef<Editing>(undefined);
  const edit = (next: Editing | undefined) => {
    latest.current = next;
    setEditing(next);
  };
  const focusList = () => frame.current?.querySelector<HTMLElement>('[role=grid]')?.focus({ preventScroll: true });
  const open = (index: number, replace: boolean) => {
    const record = records[index];
    if (record) setPanel(`import-record:${run.id}:${record.record}`, { replace });
  };
  const begin = (index: number): boolean => {
    const record = records[index];
    const fields = record && canDecide ? fieldsOf(record, readDecisions(run.id)) : undefined;
    if (!record || !fields) return false;
    if (isNarrow) open(index, false);
    else edit({ record, fields });
    return true;
  };
  const save = () => {
    const now = latest.current;
    if (!now || problemOf(now.fields)) return;
    changeDecisions(run.id, 'Corrected a record', saveFields(readDecisions(run.id), now.record, now.fields));
    edit(undefined);
    const next = records.findIndex(({ record }) => record === now.record.record) + 1;
    if (next < records.length) state.setCursor(next);
    if (next >= records.length || !begin(next)) focusList();
  };
  const targets = (): ImportRecord[] => {
    const wanted = new Set(state.targets());
    return records.filter((record) => wanted.has(keyOf(record)));
  };
  useRecordKeys({
    run, targets, isEnabled: canDecide && !editing,
    edit: () => begin(state.cursor),
    clear: state.clear,
    keepRule: (record) => navigate(withParams({ panel: `import-rules:${run.id}:${record.record}` })),
  });
  const accept = (record: ImportRecord) => changeDecisions(run.id, 'Accepted a suggestion', acceptSuggestions(readDecisions(run.id), [record]).decisions);
  const more = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const follow = {
    ...state,
    setCursor: (index: number) => {
      state.setCursor(index);
      if (panel.startsWith('import-record:')) open(index, true);
    },
  };
  if (error && !data) return <EmptyState title="The records cannot be loaded" actions={<Button onPress={() => void refetch()}>Try again</Button>}>{sentence(error)}</EmptyState>;
  return (
    <div ref={frame} className="import-list">
      <List
        label={outcome ? `${OUTCOME_NAMES[outcome]} records` : 'Records'}
        name="records"
        columns={COLUMNS}
        state={follow}
        hasSelection={canDecide}
        onOpen={(index) => open(index, false)}
        onEnd={hasNextPage && !isFetching ? more : undefined}
        keepsElement={(index) => editing !== undefined && records[index]?.record === editing.record.record}
        rowClass={(index) => rowClass(records[index], decisions, changed)}
        renderRow={(index) => {
          const record = records[index];
          if (!record) return null;
          if (editing?.record.record === record.record) {
            return (
              <RecordEditor
                run={run} record={record} fields={editing.fields}
                onChange={(part) => latest.current?.record === editing.record && edit({ ...latest.current, fields: { ...latest.current.fields, ...part } })}
                onSave={save}
                onCancel={() => { edit(undefined); focusList(); }}
              />
            );
          }
          return <RecordCells record={record} proposal={proposalOf(record, decisions)} isChanged={changed.has(record.record)} onAccept={canDecide ? () => accept(record) : undefined} />;
        }}
        empty={data ? <NoRecords outcome={outcome} /> : <Loading label="Loading the records" />}
        footer={hasNextPage ? <div className="list-note muted">Loading more</div> : undefined}
      />
    </div>
  );
}

const keyOf = (record: ImportRecord | undefined): string => (record ? `record ${record.record}` : '');

function rowClass(record: ImportRecord | undefined, decisions: Decisions, changed: ReadonlySet<number>): string {
  if (!record) return '';
  const { outcome, isDecided } = proposalOf(record, decisions);
  return [`is-${outcome.toLowerCase()}`, isDecided ? 'is-decided' : '', changed.has(record.record) ? 'is-changed' : ''].join(' ');
}

const NOTHING: Record<Outcome, string> = {
  NEW: 'Everything in this file is in the book already, or is left out.',
  EXISTING: 'No record of this file was recorded before.',
  MATCHED: 'No record is one that somebody has entered by hand, or the other side of a transfer.',
  SKIPPED: 'No rule leaves out a record, and none is in the trash.',
  REFUSED: 'Every record could be read.',
};

function NoRecords({ outcome }: { readonly outcome: Outcome | undefined }) {
  return <EmptyState title="No such records">{outcome ? NOTHING[outcome] : 'The file has no records.'}</EmptyState>;
}
