/** The closings of a book as a file. */
import { rfc3339, type Column } from '~/export/csv';
import type { Closing } from './closing';

export const CLOSING_COLUMNS: readonly Column<Closing>[] = [
  { key: 'date', of: ({ date }) => date },
  { key: 'event', of: ({ event }) => event },
  { key: 'createdAt', of: ({ createdAt }) => rfc3339(createdAt) },
  { key: 'files', of: ({ files }) => files.map(({ name }) => name).join('\n') },
];
