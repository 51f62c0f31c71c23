/** The budget as a file: a line for each row of the grid, with two columns for each month. */
import type { Column } from '~/export/csv';
import { leftOf, type BudgetRow } from './grid';

export function budgetColumns(months: readonly string[]): readonly Column<BudgetRow>[] {
  return [
    { key: 'kind', of: ({ kind }) => kind },
    { key: 'depth', of: ({ depth }) => depth },
    { key: 'name', of: ({ name }) => name },
    { key: 'accountId', of: ({ accountId }) => accountId },
    { key: 'groupId', of: ({ groupId }) => groupId },
    ...months.flatMap((month, index): Column<BudgetRow>[] => [
      { key: `${month} budget`, of: ({ budget }) => budget[index] },
      { key: `${month} actual`, of: ({ actual }) => actual[index] },
    ]),
    { key: 'budget', of: ({ budgetTotal }) => budgetTotal },
    { key: 'actual', of: ({ actualTotal }) => actualTotal },
    { key: 'left', of: ({ budgetTotal, actualTotal }) => leftOf(budgetTotal, actualTotal) },
  ];
}
