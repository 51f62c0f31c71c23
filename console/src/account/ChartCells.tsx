import { useBook } from '~/book/types';
import type { Decimal } from '~/lib/money';
import { Cell } from '~/ui/List';
import { Money } from '~/ui/Money';
import { RowToggle } from '~/ui/RowToggle';
import { DragRow } from './AccountDrag';
import type { TreeRow } from './tree';
import { typeName } from './types';

/** One account or group in the list of all. */
export function ChartCells({ row, isCursor, reconciled, minBalance, onToggle }: {
  readonly row: TreeRow;
  readonly isCursor: boolean;
  readonly reconciled: string | undefined;
  readonly minBalance: Decimal | undefined;
  readonly onToggle: (groupId: string, isOpen: boolean) => void;
}) {
  const { accountById, groupById, numbers, day } = useBook();
  const account = row.kind === 'account' ? accountById.get(row.id) : undefined;
  const group = row.kind === 'group' ? groupById.get(row.id) : undefined;
  const report = group?.properties?.['report'];
  const marks = [account?.archived && 'archived', group?.hidden && 'hidden', group?.locked && 'locked', report === 'equity' && 'equity', report === 'cash' && 'cash'].filter(Boolean);
  return (
    <>
      <Cell className={`chart-name ${group ? 'chart-group' : ''} ${account?.archived || group?.hidden ? 'muted' : ''}`}>
        <span className="chart-indent" style={{ width: row.depth * 16 }} />
        <RowToggle isOpen={row.isOpen} name={row.name} onToggle={row.isOpen === undefined ? undefined : () => onToggle(row.id, row.isOpen!)} />
        <DragRow row={row} isCursor={isCursor}><bdi className="truncate">{row.name}</bdi></DragRow>
        {marks.map((mark) => <span key={String(mark)} className="chart-mark">{mark}</span>)}
      </Cell>
      <Cell className="chart-type muted">{account ? typeName(account.type) : group?.mixed ? 'Mixed' : ''}</Cell>
      <Cell className="chart-reconciled muted">{reconciled ? day(reconciled) : ''}</Cell>
      <Cell isNumber className="chart-min muted">{minBalance && <Money value={minBalance} style={numbers} />}</Cell>
      <Cell isNumber className={group ? 'chart-balance chart-balance-group' : 'chart-balance'}>{row.balance && <Money value={row.balance} style={numbers} />}</Cell>
    </>
  );
}
