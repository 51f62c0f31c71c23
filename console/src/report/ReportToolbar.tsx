import { useState, type ReactNode } from 'react';
import { sentence } from '~/api/problem';
import { useBooks } from '~/book/queries';
import { useBook } from '~/book/types';
import { BUDGET_OF } from '~/budget/cells';
import { DownloadMenu } from '~/export/DownloadMenu';
import { periodOf, type Period } from '~/lib/dates';
import { useQueryState } from '~/lib/router';
import { Button } from '~/ui/Button';
import { ChoiceField } from '~/ui/fields/ChoiceField';
import { DateField } from '~/ui/fields/DateField';
import { TextField } from '~/ui/fields/Field';
import { showToast } from '~/ui/toasts';
import { ChangesSince } from './ChangesSince';
import { downloadReport, openPrintPage, type Format } from './download';
import { REPORTS, type ReportName } from './names';
import { readHashtags, type ReportQuery } from './params';

/** The choices of a report. Each is in the URL. */
export function ReportToolbar({ name, period, setPeriod, query }: {
  readonly name: ReportName;
  readonly period: Period | undefined;
  readonly setPeriod: (text: string) => void;
  readonly query: ReportQuery;
}) {
  const kind = REPORTS[name];
  const [zeros, setZeros] = useQueryState('zeros');
  const [depth, setDepth] = useQueryState('depth');
  return (
    <div className="report-tools" role="toolbar" aria-label="Report">
      {name === 'changes' ? <ChangesSince /> : <Days name={name} period={period} setPeriod={setPeriod} />}
      {kind.hasCompare && <Compare />}
      {kind.hasColumns && <Columns />}
      {kind.hasDepth && (
        <ChoiceField isInline
          label="Levels"
          value={depth}
          onChange={setDepth}
          choices={[{ value: '', label: 'All' }, ...['1', '2', '3', '4'].map((level) => ({ value: level, label: level }))]}
        />
      )}
      {kind.hasZeros && (
        <label className="report-check">
          <input type="checkbox" checked={zeros === 'true'} onChange={(event) => setZeros(event.target.checked ? 'true' : null)} /> Unused accounts
        </label>
      )}
      <Output name={name} query={query} />
    </div>
  );
}

/** Any day or range; the period control in the header has the usual ones. */
function Days({ name, period, setPeriod }: { readonly name: ReportName; readonly period: Period | undefined; readonly setPeriod: (text: string) => void }) {
  const [draft, setDraft] = useState<{ from?: string; to?: string }>({});
  const from = draft.from ?? period?.from ?? '';
  const to = draft.to ?? period?.to ?? '';
  const apply = () => {
    if (draft.from === undefined && draft.to === undefined) return;
    setDraft({});
    if (name === 'balance-sheet') {
      if (to) setPeriod(to);
    } else if (from && to) setPeriod(from <= to ? shorten(from, to) : `${to}..${from}`);
  };
  const form = (fields: ReactNode) => (
    <form
      noValidate
      className="report-days"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) apply();
      }}
    >
      {fields}
      <button type="submit" hidden>Show</button>
    </form>
  );
  if (name === 'balance-sheet') {
    return form(<><span className="muted" aria-hidden="true">As of</span><DateField isCompact label="As of" value={to} onChange={(day) => setDraft({ to: day })} /></>);
  }
  return form(
    <>
      <span className="muted" aria-hidden="true">From</span>
      <DateField isCompact label="First day" value={from} onChange={(day) => setDraft({ ...draft, from: day })} />
      <span className="muted" aria-hidden="true">to</span>
      <DateField isCompact label="Last day" value={to} onChange={(day) => setDraft({ ...draft, to: day })} />
    </>,
  );
}

/** A whole month is written as such, so that the period control can step it. */
function shorten(from: string, to: string): string {
  const month = periodOf('month', from);
  return month.from === from && month.to === to ? month.text : `${from}..${to}`;
}

function Compare() {
  const { id } = useBook();
  const books = useBooks().data ?? [];
  const [compare, setCompare] = useQueryState('compare');
  const [columns] = useQueryState('columns');
  const options = [
    { value: '', label: 'Nothing' },
    { value: 'previous', label: 'The period before' },
    { value: 'year', label: 'The year before' },
    ...books.filter((book) => book.id !== id).map((book) => ({ value: book.id!, label: book.properties?.[BUDGET_OF] === id ? book.name! : `Book ${book.name}` })),
  ];
  if (compare && !options.some(({ value }) => value === compare)) options.push({ value: compare, label: compare });
  return <ChoiceField isInline label="Compare" value={columns ? '' : compare} onChange={setCompare} choices={options} isDisabled={columns !== ''} />;
}

const COLUMN_NAMES = [
  { value: '', label: 'One' }, { value: 'month', label: 'Months' }, { value: 'quarter', label: 'Quarters' },
  { value: 'year', label: 'Years' }, { value: '#', label: 'Hashtags' },
];

function Columns() {
  const [columns, setColumns] = useQueryState('columns');
  const [isTagging, setTagging] = useState(false);
  const [tags, setTags] = useState(columns.startsWith('#') ? columns.replaceAll(',', ' ') : '');
  const showsTags = isTagging || columns.startsWith('#');
  return (
    <>
      <ChoiceField isInline
        label="Columns"
        value={showsTags ? '#' : columns}
        choices={COLUMN_NAMES}
        onChange={(value) => {
          setTagging(value === '#');
          setColumns(value === '#' ? readHashtags(tags) : value);
        }}
      />
      {showsTags && (
        <form
          noValidate
          className="report-tags"
          onSubmit={(event) => {
            event.preventDefault();
            setColumns(readHashtags(tags));
          }}
        >
          <TextField isCompact label="Hashtags of the columns" placeholder="#food #travel" value={tags} onChange={setTags} onBlur={() => setColumns(readHashtags(tags))} />
        </form>
      )}
    </>
  );
}

const FORMATS: readonly { readonly id: Format; readonly label: string; readonly detail: string }[] = [
  { id: 'xlsx', label: 'XLSX', detail: 'Excel, LibreOffice' },
  { id: 'csv', label: 'CSV', detail: 'Plain' },
  { id: 'excel', label: 'CSV for Excel', detail: 'Decimals of the book' },
  { id: 'html', label: 'HTML', detail: 'The print page' },
];

function Output({ name, query }: { readonly name: ReportName; readonly query: ReportQuery }) {
  const { id: bookId } = useBook();
  const fail = (error: unknown) => showToast(`The report could not be fetched. ${sentence(error)}`, { tone: 'error' });
  return (
    <span className="report-output">
      <Button onPress={() => void openPrintPage(bookId, name, query).catch(fail)}>Print</Button>
      <DownloadMenu
        look="plain"
        entries={FORMATS.map((format) => ({ ...format, run: () => void downloadReport(bookId, name, query, format.id).catch(fail) }))}
      />
    </span>
  );
}
