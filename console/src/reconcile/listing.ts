/** Reconciliations, and the rows of one, as files. */
import { api } from '~/api/client';
import type { Account, Transaction } from '~/api/types';
import { rfc3339, type Column, type Listing } from '~/export/csv';
import { decimalOrZero } from '~/lib/money';
import type { Reconciliation } from './queries';
import { otherAccounts, rowEffect } from './sheet';

export const RECONCILIATION_COLUMNS: readonly Column<Reconciliation>[] = [
  { key: 'id', of: ({ id }) => id },
  { key: 'date', of: ({ date }) => date },
  { key: 'account', of: ({ account }) => account.name },
  { key: 'openingBalance', of: ({ openingBalance }) => decimalOrZero(openingBalance) },
  { key: 'movement', of: ({ movement }) => decimalOrZero(movement) },
  { key: 'closingBalance', of: ({ closingBalance }) => decimalOrZero(closingBalance) },
  { key: 'difference', of: ({ difference }) => decimalOrZero(difference) },
  { key: 'transactionCount', of: ({ transactionCount }) => transactionCount },
  { key: 'accountId', of: ({ account }) => account.id },
  { key: 'fileId', of: ({ fileId }) => fileId },
  { key: 'createdBy', of: ({ createdBy }) => createdBy },
  { key: 'createdAt', of: ({ createdAt }) => rfc3339(createdAt) },
  { key: 'updatedAt', of: ({ updatedAt }) => rfc3339(updatedAt) },
];

/** All reconciliations of the book, or of an account, newest first. */
export function reconciliationListing(bookId: string, account: string): Listing<Reconciliation> {
  return {
    columns: RECONCILIATION_COLUMNS,
    read: async (cursor, signal) =>
      (await api.get('/v5/books/{bookId}/reconciliations', { path: { bookId }, query: { limit: 200, ...(account ? { account } : {}) }, cursor, signal })).data,
  };
}

/** The rows that a sheet shows: `ticked` says which are on the statement. */
export function sheetColumns(account: Account, ticked: ReadonlySet<string>): readonly Column<Transaction>[] {
  return [
    { key: 'id', of: ({ id }) => id },
    { key: 'date', of: ({ date }) => date },
    { key: 'description', of: ({ description }) => description },
    { key: 'otherAccount', of: (row) => otherAccounts([row], account.id!)[0] },
    { key: 'amount', of: (row) => rowEffect(row, account) },
    { key: 'onStatement', of: ({ id }) => (ticked.has(id!) ? 'yes' : 'no') },
  ];
}
