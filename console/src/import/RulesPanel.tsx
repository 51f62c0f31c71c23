import { useEffect, useId, useRef, useState, type FormEvent } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { PanelProps } from '~/frame/registry';
import { useBook } from '~/book/types';
import { Button } from '~/ui/Button';
import { Loading } from '~/ui/EmptyState';
import { AccountField } from '~/ui/fields/AccountField';
import { SidePanel } from '~/ui/SidePanel';
import { useSaveRules } from './actions';
import { proposalOf, sentenceCase } from './decisions';
import { readDecisions } from './decisionStore';
import { DropZone } from './DropZone';
import { useImport, useRecordsByNumber, useRules } from './queries';
import { questionOf } from './question';
import { appendRule, lineOf, rangeOfLine, ruleFor, rulesFromTable } from './rules';
import { headOf, sourceOf } from './sourceFiles';
import type { Import } from './types';
import { useReread } from './useReread';
import './Import.css';
import './Records.css';

/** The rules file of an account (`import-rules:<import>`), with a rule from a corrected record at its end (`:<record>`). */
export default function RulesPanel({ id, close }: PanelProps) {
  const { id: bookId, accountById } = useBook();
  const [importId = '', number = ''] = id.split(':');
  const { data: run } = useImport(bookId, importId);
  // An import that failed does not name its account.
  const own = run?.account?.id ?? sourceOf(importId)?.options.account ?? (run?.statements.length === 1 ? run.statements[0]!.account?.id : undefined) ?? '';
  const [chosen, setChosen] = useState('');
  const accountId = chosen || own;
  const account = accountById.get(accountId);
  const { data: rules } = useRules(bookId, accountId, true);
  const offer = useOffer(run, Number(number) || 0);
  const isLoading = !run || (account !== undefined && rules === undefined) || offer === undefined;
  return (
    <SidePanel title={account ? `Rules of ${account.name}` : 'Rules'} onClose={close}>
      {run && !own && <AccountField label="Account of the statement" value={chosen} onChange={setChosen} filter={(type) => type === 'ASSET' || type === 'LIABILITY'} />}
      {isLoading ? <Loading label="Loading the rules" /> : account && <RulesForm key={`${accountId} ${rules?.etag ?? ''}`} run={run} account={{ id: accountId, name: account.name! }} before={rules ?? null} offer={offer} />}
    </SidePanel>
  );
}

/** The rule that a corrected record offers; undefined while it is loaded. */
function useOffer(run: Import | undefined, number: number): string | undefined {
  const { id: bookId } = useBook();
  const none = { id: '', state: 'READING', updatedAt: '' } as Import;
  const { data } = useRecordsByNumber(bookId, run ?? none, run && number > 0 ? [number] : []);
  if (!number) return '';
  const record = data?.get(number);
  if (!run || !record) return data ? '' : undefined;
  const proposal = proposalOf(record, readDecisions(run.id));
  // The words are those of the file, also where the description was corrected.
  return ruleFor(record.description ?? '', proposal.account ?? record.suggestion?.account.name ?? '');
}

interface RulesFormProps {
  readonly run: Import;
  readonly account: { readonly id: string; readonly name: string };
  readonly before: Parameters<ReturnType<typeof useSaveRules>['run']>[0]['before'];
  readonly offer: string;
}

function RulesForm({ run, account, before, offer }: RulesFormProps) {
  const id = useId();
  const source = sourceOf(run.id);
  const { data: beginning = '' } = useQuery({
    queryKey: ['rules beginning', run.id, account.id],
    enabled: before === null && source !== undefined,
    queryFn: async () => rulesFromTable(await headOf(source!.file), account.name),
  });
  const [typed, setTyped] = useState<string>();
  const text = typed ?? appendRule(before?.text ?? beginning, offer);
  const save = useSaveRules();
  const { hasFile, reread, isPending } = useReread(run, 'import-rules');
  const [chosen, setChosen] = useState<File>();
  const error = run.state === 'FAILED' && questionOf(run) === 'rules' ? run.error : undefined;
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const line = error ? lineOf(error) : undefined;
    if (!line || !area.current) return;
    const { start, end } = rangeOfLine(area.current.value, line);
    area.current.focus({ preventScroll: true });
    area.current.setSelectionRange(start, end);
  }, [error]);
  const canReread = run.state === 'PREVIEW' || run.state === 'FAILED';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const saved = text === before?.text ? before.file : await save.run({ account, text, before });
    if (!saved) return;
    setTyped(undefined);
    if (canReread) await reread({ rules: saved.id!, account: account.id }, chosen);
  };
  return (
    <form noValidate className="import-rules" aria-label="Rules" onSubmit={(event) => void submit(event)}>
      {error && <p className="field-error" id={`${id}-error`} role="alert">{sentenceCase(error)}.</p>}
      <label htmlFor={id} className="field-label">Rules for tables of this account</label>
      <textarea
        id={id}
        ref={area}
        className="field-input import-rules-text"
        spellCheck={false}
        wrap="off"
        value={text}
        placeholder={'skip 1\nfields date, description, amount\n\nif corner shop\n  account2 Groceries\n'}
        aria-invalid={error !== undefined}
        aria-describedby={error ? `${id}-error ${id}-note` : `${id}-note`}
        onChange={(event) => setTyped(event.target.value)}
      />
      <p id={`${id}-note`} className="field-note">
        The rules of hledger: <code>fields</code> names the columns, and <code>if</code> gives records with a text an <code>account2</code>. They are a file of this book.
      </p>
      {canReread && !hasFile && <DropZone isSmall isPending={isPending} title={chosen ? `${chosen.name} is read with these rules.` : 'Choose the file again to read it with these rules.'} onFile={setChosen} />}
      <p className="page-actions">
        <Button type="submit" look="primary" isDisabled={save.isPending || isPending || text.trim() === ''}>{canReread && (hasFile || chosen) ? 'Save and read again' : 'Save'}</Button>
        {typed !== undefined && <Button look="ghost" onPress={() => setTyped(undefined)}>Restore</Button>}
      </p>
    </form>
  );
}
