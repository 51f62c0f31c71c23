/** Collections as files: the list, and the books of one side by side. */
import type { components } from '~/api/schema';
import { rfc3339, type Column } from '~/export/csv';
import type { Figures } from './side';

type Collection = components['schemas']['Collection'];

export const COLLECTION_COLUMNS: readonly Column<Collection>[] = [
  { key: 'id', of: ({ id }) => id },
  { key: 'name', of: ({ name }) => name },
  { key: 'books', of: ({ books }) => books?.map(({ name }) => name).join('\n') },
  { key: 'createdAt', of: ({ createdAt }) => rfc3339(createdAt) },
  { key: 'updatedAt', of: ({ updatedAt }) => rfc3339(updatedAt) },
];

/** A book, or without an id the sum of the books of a currency. */
export interface SideRow {
  readonly id: string;
  readonly name: string;
  readonly currency: string;
  readonly figures: Figures | undefined;
}

export const SIDE_COLUMNS: readonly Column<SideRow>[] = [
  { key: 'id', of: ({ id }) => id },
  { key: 'name', of: ({ name }) => name },
  { key: 'currency', of: ({ currency }) => currency },
  ...(['assets', 'liabilities', 'netWorth', 'income', 'expenses', 'result'] as const).map((key): Column<SideRow> => ({ key, of: ({ figures }) => figures?.[key] })),
];
