import { useMemo } from 'react';
import { isProblem, sentence } from '~/api/problem';
import type { Account, Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { useHeaderInfo } from '~/frame/headerInfo';
import { formatInstant } from '~/lib/instant';
import { add, decimalOrZero, isNegative, isZero, negate, type Decimal } from '~/lib/money';
import { Button } from '~/ui/Button';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { Link } from '~/ui/Link';
import { changeText } from './ChangesNote';
import { sheetPath } from './paths';
import { useReconciliation, useStatementFile, useTickedRows, type Reconciliation } from './queries';
import { rowsByLine } from '~/transaction/lines';
import { lineEffect, otherAccounts, sheetRows } from './sheet';
import './PrintPage.css';

/** The sheet of a reconciliation for paper: the statement, its rows, the result, and lines to sign on. */
export default function PrintPage({ sheetId = '' }: { sheetId?: string }) {
  const { accountById, day } = useBook();
  const { data: sheet, error } = useReconciliation(sheetId);
  const { data: rows, error: rowsError } = useTickedRows(sheet);
  const account = accountById.get(sheet?.account.id ?? '');
  useHeaderInfo({ title: sheet && account ? `Reconciliation of ${account.name}, ${day(sheet.date)}` : 'Reconciliation' });
  const failure = error ?? rowsError;
  if (failure) return <EmptyState title="The sheet cannot be shown">{isProblem(failure, 'notFound') ? 'It may have been deleted.' : sentence(failure)}</EmptyState>;
  if (!sheet || !rows || !account) return <Loading label="Loading the sheet" />;
  return <Paper sheet={sheet} account={account} rows={rows} />;
}

function Paper({ sheet, account, rows }: { readonly sheet: Reconciliation; readonly account: Account; readonly rows: readonly Transaction[] }) {
  const { id: bookId, book, currency, day, money, pattern } = useBook();
  const { data: file } = useStatementFile(sheet.fileId);
  const opening = decimalOrZero(sheet.openingBalance);
  const difference = decimalOrZero(sheet.difference);
  const lines = useMemo(() => withBalances(sheetRows(rows, account.id!, sheet.id), account, opening), [rows, account, sheet.id, opening]);
  const at = (instant: string | number) => formatInstant(instant, pattern, book.timeZone);
  const changed = new Map((sheet.changes ?? []).map((change) => [change.transactionId, change]));
  const facts: readonly (readonly [string, string])[] = [
    ['Book', book.name ?? ''], ['Account', account.name ?? ''], ['Statement up to', day(sheet.date)], ['Currency', currency || 'not set'],
    ['Statement file', sheet.fileId ? (file?.name ?? '') : 'none'], ['Reconciled by', `${sheet.createdBy}, ${at(sheet.createdAt)}`],
    ...(sheet.updatedAt === sheet.createdAt ? [] : [['Last change', at(sheet.updatedAt)] as const]),
  ];
  return (
    <div className="paper-desk">
      <div className="paper-bar">
        <Button look="primary" onPress={() => window.print()}>Print</Button>
        <Link to={sheetPath(bookId, sheet.id)}>Back to the reconciliation</Link>
      </div>
      <article className="paper" tabIndex={0} aria-label="Reconciliation sheet">
        <h2>Reconciliation</h2>
        <dl className="paper-facts">
          {facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd><bdi>{value}</bdi></dd></div>)}
        </dl>
        <table className="paper-rows">
          <thead>
            <tr className="paper-repeat"><th colSpan={6} scope="colgroup"><bdi>{book.name}</bdi> · <bdi>{account.name}</bdi> · statement up to {day(sheet.date)}{currency && <> · {currency}</>}</th></tr>
            <tr>
              <th scope="col">Date</th><th scope="col">Description</th><th scope="col">Other account</th>
              <th scope="col" className="number">In</th><th scope="col" className="number">Out</th><th scope="col" className="number">Balance</th>
            </tr>
          </thead>
          <tbody>
            <tr className="paper-sum"><td>{''}</td><th scope="row" colSpan={4}>Opening balance</th><td className="number">{money(opening)}</td></tr>
            {lines.map(({ legs, value, balance }) => {
              const [head] = legs;
              const changes = legs.flatMap(({ id }) => changed.get(id!) ?? []);
              return (
                <tr key={head?.id}>
                  <td>{day(head?.date)}</td>
                  <td><bdi>{head?.description}</bdi>{changes.map((change) => <span key={change.eventId} className="paper-note"> {changeText(change)} by <bdi>{change.username}</bdi>, {at(change.createdAt)}</span>)}</td>
                  <td><bdi>{otherAccounts(legs, account.id!).join(', ')}</bdi></td>
                  <td className="number">{!isNegative(value) && money(value)}</td>
                  <td className="number">{isNegative(value) && money(negate(value))}</td>
                  <td className="number">{money(balance)}</td>
                </tr>
              );
            })}
          </tbody>
          <tbody className="paper-result">
            <tr className="paper-sum"><td>{''}</td><th scope="row" colSpan={4}>Opening balance and {lines.length} {lines.length === 1 ? 'row' : 'rows'}</th><td className="number">{money(lines.at(-1)?.balance ?? opening)}</td></tr>
            <tr className="paper-sum"><td>{''}</td><th scope="row" colSpan={4}>Closing balance of the statement</th><td className="number">{money(decimalOrZero(sheet.closingBalance))}</td></tr>
            <tr className="paper-sum paper-difference"><td>{''}</td><th scope="row" colSpan={4}>Difference{isZero(difference) ? ': the account agrees with the statement' : ''}</th><td className="number">{money(difference)}</td></tr>
          </tbody>
        </table>
        <div className="paper-signatures">
          {['Prepared by', 'Checked by'].map((role) => (
            <p key={role}><span className="paper-line" /><span className="paper-line is-date" /><span>{role}, signature</span><span>Date</span></p>
          ))}
        </div>
        <p className="paper-source">Printed {at(Date.now())} · {window.location.href}</p>
      </article>
    </div>
  );
}

/** The lines of the sheet: an entry is one, with its sum. */
function withBalances(rows: readonly Transaction[], account: Account, opening: Decimal) {
  let balance = opening;
  return rowsByLine(rows).map((legs) => {
    const value = lineEffect(legs, account);
    balance = add(balance, value);
    return { legs, value, balance };
  });
}
