import { useHeaderInfo } from '~/frame/headerInfo';
import { useHeaderQuery } from '~/frame/period';
import { plural } from './actions';
import { useTransactionCount, useTransactionRows } from './queries';
import { TransactionList } from './TransactionList';

/** All transactions that the header's query finds. */
export default function TransactionsPage() {
  const { query } = useHeaderQuery();
  const count = useTransactionCount(query).data?.total;
  const { warnings } = useTransactionRows(query);
  useHeaderInfo({ title: 'Transactions', warnings, result: count === undefined ? undefined : formatCount(count) });
  return <TransactionList query={query} isFiltered={query !== ''} />;
}

export function formatCount(count: number): string {
  return plural(count, 'row').replace(/\d+/, count.toLocaleString('en'));
}
