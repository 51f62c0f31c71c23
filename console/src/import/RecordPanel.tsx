import { useMemo, useState, type FormEvent } from 'react';
import type { PanelProps } from '~/frame/registry';
import { useBook } from '~/book/types';
import { useUser } from '~/book/queries';
import { decimalOrZero } from '~/lib/money';
import { navigate, withParams } from '~/lib/router';
import { Button } from '~/ui/Button';
import { Loading } from '~/ui/EmptyState';
import { Link } from '~/ui/Link';
import { Fact, Facts, SidePanel } from '~/ui/SidePanel';
import { changeDecisions } from './actions';
import { decide, proposalOf, reasonOf, sentenceCase } from './decisions';
import { readDecisions, useDecisions } from './decisionStore';
import { useImport, useRecordsByNumber } from './queries';
import { percent } from './RecordCells';
import { OutcomeField, TargetField, TextFields } from './RecordFieldset';
import { fieldsOf, problemOf, saveFields, type RecordFields } from './recordFields';
import { OUTCOME_NAMES, type Import, type ImportRecord } from './types';
import './Import.css';
import './Records.css';

/** All about a record: where it stands in the file, what becomes of it and why, and its corrections. */
export default function RecordPanel({ id, close }: PanelProps) {
  const { id: bookId } = useBook();
  const [importId = '', number = ''] = id.split(':');
  const { data: run } = useImport(bookId, importId);
  return run ? <Loaded run={run} number={Number(number)} close={close} /> : <SidePanel title="Record" onClose={close}><Loading label="Loading the record" /></SidePanel>;
}

function Loaded({ run, number, close }: { readonly run: Import; readonly number: number; readonly close: () => void }) {
  const { id: bookId } = useBook();
  const numbers = useMemo(() => [number], [number]);
  const { data } = useRecordsByNumber(bookId, run, numbers);
  const record = data?.get(number);
  const username = useUser().data?.username;
  const canDecide = run.state === 'PREVIEW' && run.createdBy === username;
  return (
    <SidePanel title={`Record ${number}`} onClose={close}>
      {record ? (
        <>
          <RecordFacts run={run} record={record} canDecide={canDecide} />
          {canDecide && <Correction key={record.record} run={run} record={record} />}
        </>
      ) : data ? <p className="muted">The record is far down in the file. Open it from the list.</p> : <Loading label="Loading the record" />}
    </SidePanel>
  );
}

function RecordFacts({ run, record, canDecide }: { readonly run: Import; readonly record: ImportRecord; readonly canDecide: boolean }) {
  const { day, money } = useBook();
  const decisions = useDecisions(run.id);
  const proposal = proposalOf(record, decisions);
  const { line, column, date, amount, suggestion, legs, candidates, transactionId, rule } = record;
  const statement = record.statement === undefined ? undefined : run.statements[record.statement];
  return (
    <>
      <Facts>
        <Fact name="Outcome">{OUTCOME_NAMES[proposal.outcome]}{record.draft && proposal.outcome === 'NEW' && ', as a draft'}</Fact>
        <Fact name="Why">{reasonOf(record, proposal) || sentenceCase(record.reason ?? '')}</Fact>
        {line !== undefined && <Fact name="In the file">Line {line}{column !== undefined && `, column ${column}`}</Fact>}
        {statement && <Fact name="Statement"><bdi>{statement.account?.name ?? statement.number}</bdi></Fact>}
        {date && <Fact name="Date">{day(date)}{record.locked && ', locked'}</Fact>}
        {amount !== undefined && <Fact name="Amount">{money(decimalOrZero(amount))}</Fact>}
        {proposal.description && <Fact name="Description"><bdi>{proposal.description}</bdi></Fact>}
        {proposal.account && <Fact name="Other account"><bdi>{proposal.account}</bdi></Fact>}
        {rule !== undefined && <Fact name="Rule"><Link to={withParams({ panel: `import-rules:${run.id}` })}>Line {rule} of the rules</Link></Fact>}
        {suggestion && <Fact name="Suggestion"><bdi>{suggestion.account.name}</bdi>, {percent(suggestion.confidence)}: {suggestion.reason}</Fact>}
        {transactionId && <Fact name="Transaction"><Link to={withParams({ panel: `transaction:${transactionId}` })}>Open it</Link></Fact>}
      </Facts>
      {legs && legs.length > 0 && (
        <section className="panel-section" aria-label="Parts">
          <h3>{legs.length} parts</h3>
          <ul className="import-parts">
            {legs.map((leg, index) => <li key={index}><bdi>{leg.account?.name ?? 'Uncategorised'}</bdi> <span>{money(decimalOrZero(leg.amount))}</span>{leg.description && <span className="muted"><bdi>{leg.description}</bdi></span>}</li>)}
          </ul>
        </section>
      )}
      {candidates && candidates.length > 0 && (
        <section className="panel-section" aria-label="Candidates">
          <h3>May be the same as</h3>
          <ul className="import-parts">
            {candidates.map((candidate) => (
              <li key={candidate.id}>
                <Link to={withParams({ panel: `transaction:${candidate.id}` })}><bdi>{candidate.description || 'Without a description'}</bdi></Link>{' '}
                <span>{candidate.date ? day(candidate.date) : 'no date'} · {money(decimalOrZero(candidate.amount))}{!candidate.posted && ' · draft'}</span>
                {canDecide && (
                  <Button
                    look="ghost"
                    aria-label={`Match with ${candidate.description}`}
                    onPress={() => changeDecisions(run.id, 'Matched', decide(readDecisions(run.id), record, { match: candidate.id, outcome: 'MATCHED' }))}
                  >
                    Match
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Correction({ run, record }: { readonly run: Import; readonly record: ImportRecord }) {
  const decisions = useDecisions(run.id);
  const saved = useMemo(() => fieldsOf(record, decisions), [record, decisions]);
  const [typed, setTyped] = useState<Partial<RecordFields>>({});
  if (!saved) return <p className="muted">This record keeps its outcome.</p>;
  const fields = { ...saved, ...typed };
  const problem = problemOf(fields);
  const props = { run, record, fields, isCompact: false, onChange: (part: Partial<RecordFields>) => setTyped({ ...typed, ...part }) };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (problem) return;
    changeDecisions(run.id, 'Corrected a record', saveFields(readDecisions(run.id), record, fields));
    setTyped({});
  };
  return (
    <form noValidate className="panel-section import-correction" aria-label="Correction" onSubmit={submit}>
      <h3>Correct it</h3>
      <OutcomeField {...props} />
      <TargetField {...props} />
      <TextFields {...props} />
      {problem && <p className="field-error">{problem}</p>}
      <p className="page-actions">
        <Button type="submit" look="primary" isDisabled={Object.keys(typed).length === 0 || problem !== undefined}>Save</Button>
        {fields.outcome === 'NEW' && <Button onPress={() => navigate(withParams({ panel: `import-rules:${run.id}:${record.record}` }))}>Keep a rule</Button>}
      </p>
    </form>
  );
}
