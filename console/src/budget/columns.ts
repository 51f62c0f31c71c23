/** The columns of the budget: many months with both figures in a cell, or one month with a column for each. */
import { monthLabel } from '~/book/course';
import type { BudgetRow } from './grid';

export interface BudgetColumn {
  readonly key: string;
  readonly title: string;
  readonly kind: 'both' | 'plan' | 'actual' | 'total' | 'left';
  /** Index of the month; undefined for all months. */
  readonly at: number | undefined;
}

export function columnsOf(months: readonly string[]): BudgetColumn[] {
  if (months.length === 1) {
    return [
      { key: 'plan', title: 'Budget', kind: 'plan', at: 0 },
      { key: 'actual', title: 'Actual', kind: 'actual', at: 0 },
      { key: 'difference', title: 'Left', kind: 'left', at: 0 },
    ];
  }
  const isOneYear = months[0]?.slice(0, 4) === months.at(-1)?.slice(0, 4);
  return [
    ...months.map((month, at): BudgetColumn => ({ key: month, title: isOneYear ? monthLabel(month).slice(0, 3) : monthLabel(month), kind: 'both', at })),
    { key: 'total', title: 'Total', kind: 'total', at: undefined },
    { key: 'difference', title: 'Left', kind: 'left', at: undefined },
  ];
}

export const isEditable = (row: BudgetRow | undefined, column: BudgetColumn | undefined): boolean =>
  row?.kind === 'account' && (column?.kind === 'both' || column?.kind === 'plan');

/** The planned and the actual figure of a row in a column. */
export function figuresAt(row: BudgetRow, { at }: BudgetColumn) {
  return at === undefined ? { budget: row.budgetTotal, actual: row.actualTotal } : { budget: row.budget[at]!, actual: row.actual[at]! };
}
