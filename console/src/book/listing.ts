/** Books, and the figures of a book by month, as files. */
import type { Book } from '~/api/types';
import { rfc3339, type Column } from '~/export/csv';
import type { MonthFigures } from './course';
import { currencyOf } from './queries';

export const BOOK_COLUMNS: readonly Column<Book>[] = [
  { key: 'id', of: ({ id }) => id },
  { key: 'name', of: ({ name }) => name },
  { key: 'currency', of: currencyOf },
  { key: 'collection', of: ({ collection }) => collection?.name },
  { key: 'permission', of: ({ permission }) => permission },
  { key: 'ownerName', of: ({ ownerName }) => ownerName },
  { key: 'totalTransactions', of: ({ totalTransactions }) => totalTransactions },
  { key: 'lastUpdate', of: ({ lastUpdateMs }) => rfc3339(lastUpdateMs) },
  { key: 'deletedAt', of: ({ deletedAt }) => rfc3339(deletedAt) },
  { key: 'expiresAt', of: ({ expiresAt }) => rfc3339(expiresAt) },
];

export const MONTH_COLUMNS: readonly Column<MonthFigures>[] = [
  { key: 'month', of: ({ month }) => month },
  { key: 'income', of: ({ income }) => income },
  { key: 'expenses', of: ({ expenses }) => expenses },
  { key: 'result', of: ({ result }) => result },
  { key: 'netWorth', of: ({ netWorth }) => netWorth },
];
