import { monthLabel } from '~/book/course';
import { useBook } from '~/book/types';
import { sum, type AmountReading } from '~/lib/money';
import { figuresAt, type BudgetColumn } from './columns';
import { isOneCell, type Block, type Place } from './cursor';
import { leftOf, type BudgetRow } from './grid';

/** The cell of the cursor in words and figures, the sum of a block, and what was typed. */
export function BudgetFoot({ rows, columns, months, place, block, reading, error, canEdit }: {
  readonly rows: readonly BudgetRow[];
  readonly columns: readonly BudgetColumn[];
  readonly months: readonly string[];
  readonly place: Place | undefined;
  readonly block: Block | undefined;
  readonly reading: AmountReading | undefined;
  readonly error: string | undefined;
  readonly canEdit: boolean;
}) {
  const { money } = useBook();
  const row = place && rows[place.row];
  const column = place && columns[place.column - 1];
  return (
    <div className="budget-foot">
      <span className="budget-at">
        {block && !isOneCell(block) ? (
          <BlockSum rows={rows} columns={columns} block={block} />
        ) : row && (
          <>
            <strong><bdi>{row.name}</bdi></strong>
            {column && <> {column.at === undefined ? 'in all months' : monthLabel(months[column.at]!)}: <Facts row={row} column={column} /></>}
          </>
        )}
        {reading?.kind === 'amount' && reading.computed && <strong className="budget-reading"> = {money(reading.value)}</strong>}
      </span>
      <span role="alert" className="field-error">{error && `Not an amount: ${error}`}</span>
      {canEdit && <span className="budget-keys muted">Type to change a cell, <kbd>Enter</kbd> down, <kbd>Tab</kbd> right, <kbd>Shift</kbd> with arrows selects, <kbd>Z</kbd> undoes</span>}
    </div>
  );
}

function Facts({ row, column }: { readonly row: BudgetRow; readonly column: BudgetColumn }) {
  const { money } = useBook();
  const { budget, actual } = figuresAt(row, column);
  return <>budget {money(budget)}, actual {money(actual)}, left {money(leftOf(budget, actual))}</>;
}

function BlockSum({ rows, columns, block }: { readonly rows: readonly BudgetRow[]; readonly columns: readonly BudgetColumn[]; readonly block: Block }) {
  const { money } = useBook();
  const cells = rows.slice(block.top, block.bottom + 1).flatMap((row) =>
    row.kind === 'account' ? columns.slice(Math.max(0, block.left - 1), block.right).filter(({ kind }) => kind === 'both' || kind === 'plan').map((column) => figuresAt(row, column).budget) : [],
  );
  return <>{cells.length} cells selected, budget {money(sum(cells))}</>;
}
