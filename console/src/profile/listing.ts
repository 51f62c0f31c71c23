/** What acts in the name of the caller, as files. */
import { rfc3339, type Column } from '~/export/csv';
import type { ApiKey, Connection, Consent, Session, Token } from './queries';

export const TOKEN_COLUMNS: readonly Column<Token>[] = [
  { key: 'id', of: ({ id }) => id },
  { key: 'name', of: ({ name }) => name },
  { key: 'access', of: ({ readOnly }) => (readOnly ? 'read' : 'read and write') },
  { key: 'books', of: ({ books }) => books?.join('\n') },
  { key: 'createdAt', of: ({ createdAt }) => rfc3339(createdAt) },
  { key: 'expiresAt', of: ({ expiresAt }) => rfc3339(expiresAt) },
  { key: 'revokedAt', of: ({ revokedAt }) => rfc3339(revokedAt) },
];

export const API_KEY_COLUMNS: readonly Column<ApiKey>[] = [
  { key: 'id', of: ({ id }) => id },
  { key: 'name', of: ({ name }) => name },
  { key: 'createdAt', of: ({ createdAt }) => rfc3339(createdAt) },
  { key: 'revokedAt', of: ({ revokedAt }) => rfc3339(revokedAt) },
  { key: 'calls', of: ({ usage = [] }) => usage.reduce((sum, { calls }) => sum + calls, 0) },
];

export const CONSENT_COLUMNS: readonly Column<Consent>[] = [
  { key: 'id', of: ({ id }) => id },
  { key: 'name', of: ({ name }) => name },
  { key: 'scopes', of: ({ scopes }) => scopes.join(' ') },
  { key: 'createdAt', of: ({ createdAt }) => rfc3339(createdAt) },
];

export const CONNECTION_COLUMNS: readonly Column<Connection>[] = [
  { key: 'id', of: ({ id }) => id },
  { key: 'name', of: ({ name }) => name },
  { key: 'type', of: ({ type }) => type },
  { key: 'agentId', of: ({ agentId }) => agentId },
  { key: 'createdAt', of: ({ createdAt }) => rfc3339(createdAt) },
];

export const SESSION_COLUMNS: readonly Column<Session>[] = [
  { key: 'id', of: ({ id }) => id },
  { key: 'method', of: ({ method }) => method },
  { key: 'signedInAt', of: ({ signedInAt }) => rfc3339(signedInAt) },
  { key: 'lastUsedAt', of: ({ lastUsedAt }) => rfc3339(lastUsedAt) },
  { key: 'expiresAt', of: ({ expiresAt }) => rfc3339(expiresAt) },
];
