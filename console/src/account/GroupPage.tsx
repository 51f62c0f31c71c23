import { useBook } from '~/book/types';
import { useHeaderInfo } from '~/frame/headerInfo';
import { useHeaderQuery, usePeriod } from '~/frame/period';
import { decimalOrZero, subtract } from '~/lib/money';
import { joinQuery } from '~/lib/query';
import { fromRaw } from '~/lib/signs';
import { useRowCount, useTransactionRows } from '~/transaction/queries';
import { TransactionList } from '~/transaction/TransactionList';
import { useListQuery } from '~/transaction/upcoming';
import { EmptyState } from '~/ui/EmptyState';
import { useBalances } from './queries';
import { Summary } from './Summary';

/** The transactions of the accounts below a group, with the balance of the group. */
export default function GroupPage({ groupId = '' }: { groupId?: string }) {
  const { groupById } = useBook();
  const group = groupById.get(groupId);
  const { period, terms } = usePeriod();
  const { text } = useHeaderQuery();
  const { data: balances } = useBalances(joinQuery(`group:${groupId}`, terms || 'by:y'), group !== undefined);
  const query = useListQuery(joinQuery(`group:${groupId}`, terms, text));
  const { warnings } = useTransactionRows(query);
  useHeaderInfo({ title: group?.name, warnings, result: useRowCount(query) });
  if (!group) return <EmptyState title="No such group">It may have been deleted.</EmptyState>;
  const found = balances?.groupBalances?.find(({ normalizedName }) => normalizedName === group.normalizedName);
  const closing = found && fromRaw(decimalOrZero(found.cumulativeBalance), group.credit);
  const change = found && fromRaw(decimalOrZero(found.periodBalance), group.credit);
  const opening = closing && change && subtract(closing, change);
  return (
    <>
      <Summary
        items={[
          ...(group.permanent && period ? ([['Opening', opening], ['Change', change]] as const) : []),
          group.permanent ? (['Balance', closing] as const) : (['Total', change] as const),
        ]}
      />
      <TransactionList query={query} isFiltered={period !== undefined || text !== ''} />
    </>
  );
}
