/** Transactions with the columns of the server's CSV, for a recorder, who may not ask the server for an export. */
import { api } from '~/api/client';
import type { Transaction } from '~/api/types';
import { rfc3339, type Column, type Listing } from '~/export/csv';
import { parseDecimal } from '~/lib/money';

export const TRANSACTION_COLUMNS: readonly Column<Transaction>[] = [
  { key: 'id', of: ({ id }) => id },
  { key: 'date', of: ({ date }) => date },
  { key: 'amount', of: ({ amount }) => amount && parseDecimal(amount) },
  { key: 'creditAccount', of: ({ creditAccount }) => creditAccount?.name },
  { key: 'debitAccount', of: ({ debitAccount }) => debitAccount?.name },
  { key: 'description', of: ({ description }) => description },
  { key: 'state', of: ({ trashed, posted, checked }) => (trashed ? 'trashed' : !posted ? 'draft' : checked ? 'checked' : 'unchecked') },
  { key: 'tags', of: ({ tags }) => tags?.join(' ') },
  { key: 'urls', of: ({ urls }) => urls?.join('\n') },
  { key: 'remoteIds', of: ({ remoteIds }) => remoteIds?.join('\n') },
  { key: 'files', of: ({ files }) => files?.map(({ name }) => name).join('\n') },
  { key: 'properties', of: ({ properties = {} }) => (Object.keys(properties).length > 0 ? JSON.stringify(properties) : '') },
  { key: 'creditAccountId', of: ({ creditAccount }) => creditAccount?.id },
  { key: 'debitAccountId', of: ({ debitAccount }) => debitAccount?.id },
  { key: 'createdBy', of: ({ createdBy }) => createdBy },
  { key: 'createdAt', of: ({ createdAt }) => rfc3339(createdAt) },
  { key: 'updatedAt', of: ({ updatedAt }) => rfc3339(updatedAt) },
];

/** All transactions of a query that the caller sees, newest first. */
export function transactionListing(bookId: string, query: string): Listing<Transaction> {
  return {
    columns: TRANSACTION_COLUMNS,
    read: async (cursor, signal) => (await api.get('/v5/books/{bookId}/transactions', { path: { bookId }, query: { query, limit: 1000 }, cursor, signal })).data,
  };
}
