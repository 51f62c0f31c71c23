import { useMemo } from 'react';
import { useBook } from '~/book/types';
import { useHeaderInfo } from '~/frame/headerInfo';
import { useHeaderQuery, usePeriod } from '~/frame/period';
import { decimalOrZero, negate, subtract } from '~/lib/money';
import { joinQuery } from '~/lib/query';
import { fromRaw } from '~/lib/signs';
import { useRowCount, useTransactionRows } from '~/transaction/queries';
import { TransactionList } from '~/transaction/TransactionList';
import { useListQuery } from '~/transaction/upcoming';
import { Button } from '~/ui/Button';
import { EmptyState } from '~/ui/EmptyState';
import { setPrefs, usePrefs } from '~/ui/prefs';
import { BalanceChart } from './BalanceChart';
import { useBalances, useReconciledThrough } from './queries';
import { Summary } from './Summary';

/** The register of an account: opening balance, transactions with running balance, closing balance. */
export default function RegisterPage({ accountId = '' }: { accountId?: string }) {
  const { accountById, day } = useBook();
  const account = accountById.get(accountId);
  const { period, terms } = usePeriod();
  const { text } = useHeaderQuery();
  // The period alone decides about the balances; the query box filters the rows.
  const { data: balances } = useBalances(joinQuery(`account:${accountId}`, terms || 'by:y'), account !== undefined);
  const query = useListQuery(joinQuery(`account:${accountId}`, terms, text));
  const { warnings } = useTransactionRows(query);
  useHeaderInfo({ title: account?.name, warnings, result: useRowCount(query) });

  const sums = useMemo(() => {
    const found = balances?.accountBalances?.[0];
    if (!account || !found || found.normalizedName !== account.normalizedName) return undefined;
    const closing = fromRaw(decimalOrZero(found.cumulativeBalance), account.credit);
    const change = fromRaw(decimalOrZero(found.periodBalance), account.credit);
    const [credit, debit] = [decimalOrZero(found.periodCredit), decimalOrZero(found.periodDebit)];
    return {
      opening: subtract(closing, change),
      increase: account.credit ? credit : debit,
      decrease: negate(account.credit ? debit : credit),
      change,
      closing,
    };
  }, [balances, account]);
  const { balanceChart } = usePrefs();
  const reconciledTo = useReconciledThrough().data?.get(accountId);
  if (!account) return <EmptyState title="No such account">It may have been deleted.</EmptyState>;
  const opening = sums && account.permanent && period
    ? { label: `Balance before ${day(period.from)}`, balance: sums.opening }
    : undefined;
  return (
    <>
      <Summary
        reconciledTo={reconciledTo}
        items={[
          ...(account.permanent && period ? [['Opening', sums?.opening] as const] : []),
          ['Increase', sums?.increase],
          ['Decrease', sums?.decrease],
          account.permanent ? (['Balance', sums?.closing] as const) : (['Total', sums?.change] as const),
        ]}
      >
        <Button look="ghost" icon="report" aria-expanded={balanceChart} aria-controls="balance-chart" onPress={() => setPrefs({ balanceChart: !balanceChart })}>Chart</Button>
      </Summary>
      {balanceChart && <BalanceChart account={account} />}
      <TransactionList query={query} account={account} opening={opening} isFiltered={period !== undefined || text !== ''} />
    </>
  );
}
