import { useEffect, useMemo, useState } from 'react';
import { isProblem, sentence } from '~/api/problem';
import type { Account } from '~/api/types';
import { useBook } from '~/book/types';
import { listOf } from '~/export/csv';
import { ListMenu } from '~/export/ListMenu';
import { useHeaderInfo } from '~/frame/headerInfo';
import { isDay } from '~/lib/dates';
import { compare, decimalOrZero, formatCount, parseDecimal, type Decimal } from '~/lib/money';
import { navigate, useQueryState } from '~/lib/router';
import { Button } from '~/ui/Button';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { AmountField } from '~/ui/fields/AmountField';
import { DateField } from '~/ui/fields/DateField';
import { Link } from '~/ui/Link';
import { Menu } from '~/ui/Menu';
import { showToast } from '~/ui/toasts';
import { useDeleteSheet, useSaveSheet } from './actions';
import { Balance } from './Balance';
import { ChangesNote } from './ChangesNote';
import { readDraft, writeDraft } from './drafts';
import { sheetColumns } from './listing';
import { printPath, reconcilePath, sheetPath } from './paths';
import { MAX_ROWS, useReconciliation, useReconciliations, useSheetRows, type Reconciliation } from './queries';
import { openingBalance, sheetRows, tickChanges, totals } from './sheet';
import { SheetList } from './SheetList';
import { StatementFile } from './StatementFile';
import './Reconcile.css';

/** A statement with the rows of its account: a saved reconciliation, or a new one from the URL. */
export default function SheetPage({ sheetId }: { sheetId?: string }) {
  const { accountById } = useBook();
  const { data: saved, error } = useReconciliation(sheetId);
  const [accountId] = useQueryState('account');
  const [date] = useQueryState('date');
  const [closing] = useQueryState('closing');
  if (error && !saved) {
    return <EmptyState title={isProblem(error, 'notFound') ? 'No such reconciliation' : 'The reconciliation cannot be loaded'}>{isProblem(error, 'notFound') ? 'It may have been deleted.' : sentence(error)}</EmptyState>;
  }
  if (sheetId && !saved) return <Loading label="Loading the reconciliation" />;
  const account = accountById.get(saved?.account.id ?? accountId);
  const isReadable = isDay(date) && /^-?\d+(\.\d+)?$/.test(closing);
  if (!account?.permanent || (!saved && !isReadable)) return <EmptyState title="This is not a statement">Choose an account, a date and a closing balance first.</EmptyState>;
  return <Sheet key={saved?.id ?? `${accountId} ${date}`} saved={saved} account={account} firstDate={saved?.date ?? date} firstClosing={parseDecimal(saved?.closingBalance ?? closing)} />;
}

interface SheetProps {
  readonly saved: Reconciliation | undefined;
  readonly account: Account;
  readonly firstDate: string;
  readonly firstClosing: Decimal;
}

function Sheet({ saved, account, firstDate, firstClosing }: SheetProps) {
  const { id: bookId, can, day, numbers } = useBook();
  const accountId = account.id!;
  const [date, setDate] = useState(firstDate);
  const [closing, setClosing] = useState<Decimal | undefined>(firstClosing);
  const [fileId, setFileId] = useState(saved?.fileId);
  const [checked, setChecked] = useQueryState('checked');
  const { data: earlier } = useReconciliations(accountId);
  const { data: loaded, error } = useSheetRows(accountId, date, saved?.transactionIds, checked === 'true');
  const rows = useMemo(() => sheetRows(loaded ?? [], accountId, saved?.id), [loaded, accountId, saved]);
  const savedIds = useMemo(() => new Set(saved?.transactionIds), [saved]);
  const [ticked, setTicked, clearDraft] = useTicks(bookId, saved?.id ?? accountId, savedIds);
  const opening = saved ? decimalOrZero(saved.openingBalance) : openingBalance(earlier ?? [], date).balance;
  const sums = totals(rows, ticked, account, opening, closing ?? firstClosing);
  const changes = tickChanges(savedIds, ticked);
  const isDirty = !saved || changes.add.length + changes.remove.length > 0 || date !== saved.date || fileId !== saved.fileId
    || (closing !== undefined && compare(closing, parseDecimal(saved.closingBalance)) !== 0);
  const save = useSaveSheet();
  const remove = useDeleteSheet();
  const isEditor = can('EDITOR');
  useHeaderInfo({ title: `Reconcile ${account.name}` });

  const submit = async () => {
    if (!closing || !date) return showToast('Enter the date and the closing balance first');
    const result = await save.run({ before: saved, accountId, date, closing, fileId, ...changes });
    if (!result) return undefined;
    clearDraft();
    if (!saved) navigate(sheetPath(bookId, result.id), { replace: true });
    return undefined;
  };
  const discard = async () => {
    if (saved && (await remove.run(saved))) navigate(reconcilePath(bookId, accountId));
  };
  return (
    <div className="reconcile">
      <form noValidate className="reconcile-start" aria-label="Statement" onSubmit={(event) => { event.preventDefault(); void submit(); }}>
        <DateField label="Statement up to" value={date} onChange={setDate} isDisabled={!isEditor} />
        <AmountField label="Closing balance" value={closing} onChange={setClosing} isDisabled={!isEditor} />
        <StatementFile fileId={fileId} onChange={setFileId} isDisabled={!isEditor} />
        <span className="reconcile-buttons">
          {isEditor && <Button type="submit" look={sums.isEqual ? 'primary' : 'plain'} isDisabled={!isDirty || save.isPending}>{isDirty ? 'Save' : 'Saved'}</Button>}
          {saved && isEditor && (
            <Menu label="More" trigger={<Button look="ghost" icon="more" aria-label="More" />} entries={[{ id: 'delete', label: 'Delete this reconciliation', run: () => void discard() }]} />
          )}
          <ListMenu what="the statement" isLoading={!loaded} list={() => listOf(sheetColumns(account, ticked), rows)} />
          {saved && <Link to={printPath(bookId, saved.id)}>Print sheet</Link>}
          <Link to={reconcilePath(bookId, accountId)}>Earlier ones</Link>
        </span>
      </form>
      <Balance opening={opening} closing={closing ?? firstClosing} sums={sums} count={ticked.size} />
      {saved && <ChangesNote sheet={saved} rows={rows} />}
      {error && !loaded ? (
        <EmptyState title="The rows cannot be loaded">{sentence(error)}</EmptyState>
      ) : !loaded ? (
        <Loading label="Loading rows" />
      ) : (
        <SheetList
          account={account}
          rows={rows}
          ticked={ticked}
          changes={saved?.changes ?? []}
          onTick={isEditor ? setTicked : undefined}
          until={day(date)}
          footer={(
            <>
              {loaded.length >= MAX_ROWS && <span className="negative">Only the newest {formatCount(MAX_ROWS, numbers)} rows are shown. Begin with an earlier statement.</span>}
              <label className="reconcile-more">
                <input type="checkbox" checked={checked === 'true'} onChange={(event) => setChecked(event.target.checked ? 'true' : null, { replace: true })} /> Show rows that were checked by hand
              </label>
            </>
          )}
        />
      )}
    </div>
  );
}

/** The ticked rows: the saved ones with the changes that are not saved yet, which a reload keeps. */
function useTicks(bookId: string, sheet: string, savedIds: ReadonlySet<string>) {
  const [draft, setDraft] = useState(() => readDraft(bookId, sheet));
  useEffect(() => writeDraft(bookId, sheet, draft), [bookId, sheet, draft]);
  const ticked = useMemo(() => {
    const removed = new Set(draft.remove);
    return new Set([...savedIds, ...draft.add].filter((id) => !removed.has(id)));
  }, [savedIds, draft]);
  const setTicked = (ids: readonly string[], isTicked: boolean) => {
    const next = new Set(ticked);
    for (const id of ids) {
      if (isTicked) next.add(id);
      else next.delete(id);
    }
    setDraft(tickChanges(savedIds, next));
  };
  const clear = () => {
    setDraft({ add: [], remove: [] });
    writeDraft(bookId, sheet, { add: [], remove: [] });
  };
  return [ticked, setTicked, clear] as const;
}
