/** The users of the installation as a file. */
import { api } from '~/api/client';
import { rfc3339, type Column, type Listing } from '~/export/csv';
import type { InstallationUser } from './queries';

export const USER_COLUMNS: readonly Column<InstallationUser>[] = [
  { key: 'id', of: ({ id }) => id },
  { key: 'email', of: ({ email }) => email },
  { key: 'username', of: ({ username }) => username },
  { key: 'role', of: ({ administrator }) => (administrator ? 'administrator' : 'user') },
  { key: 'state', of: ({ active }) => (active ? 'active' : 'disabled') },
  { key: 'createdAt', of: ({ createdAt }) => rfc3339(createdAt) },
  { key: 'signedInAt', of: ({ signedInAt }) => rfc3339(signedInAt) },
  { key: 'transactions', of: ({ transactions }) => transactions },
  { key: 'bytes', of: ({ bytes }) => bytes },
];

/** All users by address, or the one with an address. */
export function userListing(email: string): Listing<InstallationUser> {
  return {
    columns: USER_COLUMNS,
    read: async (cursor, signal) => (await api.get('/v5/administration/users', { query: { limit: 200, ...(email ? { email } : {}) }, cursor, signal })).data,
  };
}
