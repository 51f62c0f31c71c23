import { useState, type FormEvent, type ReactNode } from 'react';
import { useBook } from '~/book/types';
import { navigate, withParams } from '~/lib/router';
import { Button } from '~/ui/Button';
import { AccountField } from '~/ui/fields/AccountField';
import { ChoiceField } from '~/ui/fields/ChoiceField';
import { TextField } from '~/ui/fields/Field';
import { Icon } from '~/ui/Icon';
import { useDiscard, useRememberNumbers } from './actions';
import { sentenceCase } from './decisions';
import { DropZone } from './DropZone';
import { importsPath } from './paths';
import { exampleOf, questionOf, readingsOf, statementsOf } from './question';
import { sourceOf, type ReadOptions } from './sourceFiles';
import type { Import } from './types';
import { useReread } from './useReread';

/** Why a file could not be read, and the question that its answer decides. */
export function QuestionForm({ run }: { readonly run: Import }) {
  const { id: bookId } = useBook();
  const { hasFile, isPending, reread } = useReread(run);
  const discard = useDiscard();
  const [waiting, setWaiting] = useState<ReadOptions>();
  const error = run.error ?? '';
  const answer = (options: ReadOptions) => (hasFile ? void reread(options) : setWaiting(options));
  return (
    <div className="page import-question">
      <h2>{questionOf(run) ? 'One thing is not clear' : 'The file cannot be read'}</h2>
      <p className="notice" role="alert"><Icon name="warning" /> <span>{sentenceCase(error)}.</span></p>
      {!waiting && <Answer error={error} run={run} onAnswer={answer} isPending={isPending} />}
      {waiting && <DropZone isSmall title="This page does not have the file any more. Choose it again." isPending={isPending} onFile={(file) => void reread(waiting, file)} />}
      <p className="page-actions import-question-end">
        <Button look="ghost" isDisabled={discard.isPending} onPress={() => void discard.run(run).then(() => navigate(importsPath(bookId)))}>Take another file</Button>
      </p>
    </div>
  );
}

interface AnswerProps {
  readonly error: string;
  readonly run: Import;
  readonly onAnswer: (options: ReadOptions) => void;
  readonly isPending: boolean;
}

function Answer({ error, run, onAnswer, isPending }: AnswerProps) {
  switch (questionOf(run)) {
    case 'dateOrder': return <DateOrder example={exampleOf(error) ?? ''} onAnswer={onAnswer} isPending={isPending} />;
    case 'decimalMark': return <DecimalMark example={exampleOf(error) ?? ''} onAnswer={onAnswer} isPending={isPending} />;
    case 'encoding': return <EncodingForm onAnswer={onAnswer} isPending={isPending} />;
    case 'sheet': return <SheetForm onAnswer={onAnswer} isPending={isPending} />;
    case 'account': return <AccountForm error={error} onAnswer={onAnswer} isPending={isPending} />;
    case 'rules': return <RulesHint run={run} onAnswer={onAnswer} isPending={isPending} />;
    case 'commodities': return <Choice label="Books" options={[{ text: 'A new book for each commodity', choose: () => onAnswer({ commodities: 'ALL', target: 'NEW' }) }]} />;
    case 'target': return <Choice label="Book" options={[{ text: 'Record it in a new book', choose: () => onAnswer({ target: 'NEW' }) }]} />;
    default: return <p className="muted">Download the file from your bank again, or choose another format there. OFX and CAMT say most about themselves.</p>;
  }
}

type Props = Pick<AnswerProps, 'onAnswer' | 'isPending'>;

function Choice({ label, options }: { readonly label: string; readonly options: readonly { readonly text: ReactNode; readonly choose: () => void }[] }) {
  return (
    <div className="import-choice" role="group" aria-label={label}>
      {options.map(({ text, choose }, index) => <Button key={index} onPress={choose}>{text}</Button>)}
    </div>
  );
}

function DateOrder({ example, onAnswer }: { readonly example: string } & Props) {
  const { day } = useBook();
  const readings = readingsOf(example);
  const shown = (iso: string | undefined) => (iso ? <span className="muted"> {example} is {longDay(iso) ?? day(iso)}</span> : null);
  return (
    <Choice
      label="Order of day and month"
      options={[
        { text: <>Day first{shown(readings?.dayFirst)}</>, choose: () => onAnswer({ dateOrder: 'DAY_FIRST' }) },
        { text: <>Month first{shown(readings?.monthFirst)}</>, choose: () => onAnswer({ dateOrder: 'MONTH_FIRST' }) },
      ]}
    />
  );
}

function longDay(iso: string): string | undefined {
  const date = new Date(`${iso}T00:00:00Z`);
  return Number.isNaN(date.getTime()) ? undefined : new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' }).format(date);
}

function DecimalMark({ example, onAnswer }: { readonly example: string } & Props) {
  const isDotted = example.includes('.');
  return (
    <Choice
      label="Decimal mark"
      options={[
        { text: <>Dot<span className="muted"> {example} {isDotted ? 'has decimals' : 'has thousands'}</span></>, choose: () => onAnswer({ decimalMark: 'DOT' }) },
        { text: <>Comma<span className="muted"> {example} {isDotted ? 'has thousands' : 'has decimals'}</span></>, choose: () => onAnswer({ decimalMark: 'COMMA' }) },
      ]}
    />
  );
}

const ENCODINGS = [
  ['windows-1252', 'Western Europe (windows-1252)'], ['iso-8859-15', 'Western Europe (iso-8859-15)'], ['windows-1250', 'Central Europe (windows-1250)'],
  ['windows-1251', 'Cyrillic (windows-1251)'], ['windows-1254', 'Turkish (windows-1254)'], ['utf-8', 'UTF-8'], ['utf-16le', 'UTF-16'],
  ['shift_jis', 'Japanese (Shift_JIS)'], ['gb18030', 'Chinese (GB18030)'], ['euc-kr', 'Korean (EUC-KR)'],
].map(([value, label]) => ({ value: value!, label: label! }));

function Form({ children, isDisabled, onSubmit }: { readonly children: ReactNode; readonly isDisabled: boolean; readonly onSubmit: () => void }) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isDisabled) onSubmit();
  };
  return (
    <form noValidate className="import-answer" onSubmit={submit}>
      {children}
      <Button type="submit" look="primary" isDisabled={isDisabled}>Read the file</Button>
    </form>
  );
}

function EncodingForm({ onAnswer, isPending }: Props) {
  const [encoding, setEncoding] = useState('windows-1252');
  return <Form isDisabled={isPending} onSubmit={() => onAnswer({ encoding })}><ChoiceField label="Characters" value={encoding} onChange={setEncoding} choices={ENCODINGS} /></Form>;
}

function SheetForm({ onAnswer, isPending }: Props) {
  const [sheet, setSheet] = useState('');
  return <Form isDisabled={isPending || !sheet.trim()} onSubmit={() => onAnswer({ sheet: sheet.trim() })}><TextField label="Name of the sheet" value={sheet} onChange={setSheet} autoFocus /></Form>;
}

const isPermanent = (type: string) => type === 'ASSET' || type === 'LIABILITY';

/** Statements with a number get an account that remembers it; one without a number gets it for this file. */
function AccountForm({ error, onAnswer, isPending }: { readonly error: string } & Props) {
  const { accountById } = useBook();
  const numbers = statementsOf(error);
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const remember = useRememberNumbers();
  const asked = numbers.length > 0 ? numbers : [''];
  const isComplete = asked.every((number) => chosen[number]);
  const submit = async () => {
    if (numbers.length === 0) return onAnswer({ account: chosen['']! });
    const accounts = numbers.map((number) => ({ number, account: accountById.get(chosen[number]!)! }));
    if (await remember.run(accounts)) onAnswer(numbers.length === 1 ? { account: chosen[numbers[0]!]! } : {});
    return undefined;
  };
  return (
    <Form isDisabled={isPending || remember.isPending || !isComplete} onSubmit={() => void submit()}>
      {asked.map((number, index) => (
        <AccountField
          key={number}
          label={number ? `Account of ${number}` : 'Account of the statement'}
          note={number ? 'The account remembers this number.' : undefined}
          value={chosen[number] ?? ''}
          onChange={(id) => setChosen({ ...chosen, [number]: id })}
          filter={isPermanent}
          autoFocus={index === 0}
        />
      ))}
    </Form>
  );
}

function RulesHint({ run, onAnswer, isPending }: { readonly run: Import } & Props) {
  const { accountById } = useBook();
  const [account, setAccount] = useState('');
  // An import that failed does not name its account.
  const known = accountById.get(run.account?.id ?? sourceOf(run.id)?.options.account ?? '');
  if (!known) {
    return (
      <>
        <p className="muted">The rules of a table belong to an account. Which one is the statement of?</p>
        <Form isDisabled={isPending || !account} onSubmit={() => onAnswer({ account })}>
          <AccountField label="Account of the statement" value={account} onChange={setAccount} filter={isPermanent} />
        </Form>
      </>
    );
  }
  return (
    <p className="page-actions">
      <Button look="primary" onPress={() => navigate(withParams({ panel: `import-rules:${run.id}` }))}>Edit the rules of {known.name}</Button>
      <span className="muted">Rules say which column is what.</span>
    </p>
  );
}
