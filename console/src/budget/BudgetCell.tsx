import type { KeyboardEvent, MouseEventHandler } from 'react';
import { useBook } from '~/book/types';
import { isZero, toPlain, type Decimal } from '~/lib/money';
import { RowToggle } from '~/ui/RowToggle';
import { figuresAt, isEditable, type BudgetColumn } from './columns';
import { isAdverse, leftOf, type BudgetRow } from './grid';
import type { Editing } from './useSheet';

interface CellEvents {
  readonly onMouseDown: MouseEventHandler;
  readonly onMouseEnter: MouseEventHandler;
  readonly onDoubleClick: MouseEventHandler;
}

export function NameCell({ row, id, isCursor, isClosed, onToggle, onOpen, ...events }: CellEvents & {
  readonly row: BudgetRow;
  readonly id: string;
  readonly isCursor: boolean;
  readonly isClosed: boolean;
  readonly onToggle: (key: string) => void;
  readonly onOpen: () => void;
}) {
  const isParent = row.kind === 'group' || row.kind === 'section';
  return (
    <span role="rowheader" id={id} className={`budget-name ${isCursor ? 'is-cursor' : ''}`} title={row.name} {...events} onDoubleClick={onOpen}>
      <span style={{ width: row.depth * 12 }} />
      <RowToggle isOpen={!isClosed} onToggle={isParent ? () => onToggle(row.key) : undefined} />
      <bdi className="truncate">{row.name}</bdi>
      {row.kind === 'account' && !row.accountId && <span className="budget-mark">only in the budget</span>}
    </span>
  );
}

export function BudgetCell({ row, column, until, thisMonth, id, isCursor, isSelected, isReadOnly, editing, onType, onEditKey, onLeave, ...events }: CellEvents & {
  readonly row: BudgetRow;
  readonly column: BudgetColumn;
  /** The last month that the figures are of. */
  readonly until: string;
  readonly thisMonth: string;
  readonly id: string;
  readonly isCursor: boolean;
  readonly isSelected: boolean;
  readonly isReadOnly: boolean;
  readonly editing: Editing | undefined;
  readonly onType: (text: string) => void;
  readonly onEditKey: (event: KeyboardEvent) => void;
  readonly onLeave: () => void;
}) {
  const { budget, actual } = figuresAt(row, column);
  const canEdit = isEditable(row, column) && !isReadOnly;
  const classes = `budget-figure budget-is-${column.kind} ${isCursor ? 'is-cursor' : ''} ${isSelected ? 'is-selected' : ''} ${canEdit ? 'is-editable' : ''} ${column.at !== undefined && until === thisMonth ? 'is-now' : ''}`;
  if (editing) {
    return (
      <span role="gridcell" id={id} className={`${classes} is-editing`}>
        <input
          autoFocus
          className="budget-input"
          inputMode="decimal"
          aria-label={`Budget of ${row.name}${column.kind === 'both' ? `, ${column.title}` : ''}`}
          aria-invalid={editing.error !== undefined}
          value={editing.text}
          onChange={(event) => onType(event.target.value)}
          onFocus={(event) => !editing.isTyped && event.target.select()}
          onKeyDown={onEditKey}
          onBlur={onLeave}
        />
      </span>
    );
  }
  // Unfinished months are not short of income yet, and no month to come is worse than planned.
  const counts = until < thisMonth || (!row.isIncome && (until === thisMonth || column.at === undefined));
  const isBad = counts && row.kind !== 'result' && !isZero(budget) && isAdverse(row.isIncome, budget, actual);
  return (
    <span role="gridcell" id={id} className={classes} aria-selected={isSelected} aria-readonly={!canEdit} {...events}>
      {(column.kind === 'both' || column.kind === 'total' || column.kind === 'plan') && <Figure value={budget} className="budget-plan" />}
      {(column.kind === 'both' || column.kind === 'total') && <Figure value={actual} className={`budget-actual ${isBad ? 'is-adverse' : ''}`} prefix="actual " mark={isBad} />}
      {column.kind === 'actual' && <Figure value={actual} className={isBad ? 'is-adverse' : ''} mark={isBad} />}
      {column.kind === 'actual' && row.kind !== 'result' && <Meter budget={budget} actual={actual} isBad={isBad} />}
      {column.kind === 'left' && row.kind !== 'result' && <Figure value={leftOf(budget, actual)} className={isBad ? 'is-adverse' : ''} />}
    </span>
  );
}

/** An amount; zero is an empty cell. */
function Figure({ value, className, prefix = '', mark = false }: {
  readonly value: Decimal;
  readonly className: string;
  readonly prefix?: string;
  readonly mark?: boolean;
}) {
  const { money } = useBook();
  if (isZero(value)) return <span className={className} />;
  return (
    <span className={className}>
      {prefix && <span className="hidden-visually">{prefix}</span>}
      {mark && <span role="img" aria-label="worse than planned" className="budget-worse">!</span>}
      {money(value)}
    </span>
  );
}

/** How much of the budget is used, as a line below the figure. */
function Meter({ budget, actual, isBad }: { readonly budget: Decimal; readonly actual: Decimal; readonly isBad: boolean }) {
  const planned = Number(toPlain(budget));
  if (planned <= 0) return null;
  const share = Math.max(0, Math.min(1, Number(toPlain(actual)) / planned));
  return <span className="budget-meter" aria-hidden="true"><span className={isBad ? 'is-adverse' : ''} style={{ width: `${share * 100}%` }} /></span>;
}
