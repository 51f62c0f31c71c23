import { useHeaderInfo } from '~/frame/headerInfo';
import { useHeaderQuery } from '~/frame/period';
import { joinQuery } from '~/lib/query';
import { EmptyState } from '~/ui/EmptyState';
import { useRowCount, useTransactionRows } from './queries';
import { TransactionList } from './TransactionList';

/** The transactions in the trash. Nothing leaves it but by a restore. */
export default function TrashPage() {
  const { query: asked } = useHeaderQuery();
  const query = joinQuery(asked, 'is:trashed');
  const { warnings } = useTransactionRows(query);
  useHeaderInfo({ title: 'Trash', warnings, result: useRowCount(query) });
  const empty = <EmptyState title="The trash is empty">Press <kbd>#</kbd> on a transaction to move it here, and again to restore it. The trash is kept forever.</EmptyState>;
  return <TransactionList query={query} isFiltered={asked !== ''} {...(asked ? {} : { empty })} />;
}
