/** The collaborators of a book as a file. */
import { rfc3339, type Column } from '~/export/csv';
import type { Collaborator } from './queries';

export const COLLABORATOR_COLUMNS: readonly Column<Collaborator>[] = [
  { key: 'id', of: ({ id }) => id },
  { key: 'email', of: ({ email }) => email },
  { key: 'permission', of: ({ permission }) => permission },
  { key: 'createdAt', of: ({ createdAt }) => rfc3339(createdAt) },
];
