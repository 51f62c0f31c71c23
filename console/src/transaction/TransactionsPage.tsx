import { useHeaderInfo } from '~/frame/headerInfo';
import { useHeaderQuery } from '~/frame/period';
import { useRowCount, useTransactionRows } from './queries';
import { TransactionList } from './TransactionList';
import { useListQuery } from './upcoming';

/** All transactions that the header's query finds. */
export default function TransactionsPage() {
  const { query: asked } = useHeaderQuery();
  const query = useListQuery(asked);
  const { warnings } = useTransactionRows(query);
  useHeaderInfo({ title: 'Transactions', warnings, result: useRowCount(query) });
  return <TransactionList query={query} isFiltered={asked !== ''} />;
}
