/** Imports, and the records of one, as files. */
import { api } from '~/api/client';
import { rfc3339, type Column, type Listing } from '~/export/csv';
import { decimalOrZero, isNegative, parseDecimal } from '~/lib/money';
import { proposalOf, reasonOf, type Decisions, type Proposal } from './decisions';
import { readRecords } from './queries';
import type { Import, ImportRecord, Outcome } from './types';

export const IMPORT_COLUMNS: readonly Column<Import>[] = [
  { key: 'id', of: ({ id }) => id },
  { key: 'name', of: ({ name }) => name },
  { key: 'state', of: ({ state }) => state },
  { key: 'format', of: ({ format }) => format },
  { key: 'account', of: ({ account }) => account?.name },
  { key: 'new', of: ({ counts }) => counts.new },
  { key: 'existing', of: ({ counts }) => counts.existing },
  { key: 'matched', of: ({ counts }) => counts.matched },
  { key: 'skipped', of: ({ counts }) => counts.skipped },
  { key: 'refused', of: ({ counts }) => counts.refused },
  { key: 'total', of: ({ counts }) => counts.total },
  { key: 'sumIn', of: ({ sumIn }) => sumIn && decimalOrZero(sumIn) },
  { key: 'sumOut', of: ({ sumOut }) => sumOut && decimalOrZero(sumOut) },
  { key: 'reportFileId', of: ({ reportFileId }) => reportFileId },
  { key: 'createdBy', of: ({ createdBy }) => createdBy },
  { key: 'createdAt', of: ({ createdAt }) => rfc3339(createdAt) },
  { key: 'updatedAt', of: ({ updatedAt }) => rfc3339(updatedAt) },
];

/** All imports of the book, newest first. */
export function importListing(bookId: string): Listing<Import> {
  return {
    columns: IMPORT_COLUMNS,
    read: async (cursor, signal) => (await api.get('/v5/books/{bookId}/imports', { path: { bookId }, query: { limit: 200 }, cursor, signal })).data,
  };
}

/** The columns of the report that the server stores, with the decisions that are not confirmed yet. */
export function recordColumns(decisions: Decisions): readonly Column<ImportRecord>[] {
  const proposal = (record: ImportRecord) => proposalOf(record, decisions);
  return [
    { key: 'record', of: ({ record }) => record },
    { key: 'line', of: ({ line }) => line },
    { key: 'outcome', of: (record) => proposal(record).outcome },
    { key: 'reason', of: (record) => reasonOf(record, proposal(record)) },
    { key: 'date', of: ({ date }) => date },
    { key: 'amount', of: ({ amount }) => amount && parseDecimal(amount) },
    { key: 'description', of: (record) => described(proposal(record)) },
    { key: 'from', of: (record) => (isOutgoing(record) ? record.from?.name : otherName(record, proposal(record))) },
    { key: 'to', of: (record) => (isOutgoing(record) ? otherName(record, proposal(record)) : record.to?.name) },
    { key: 'transactionId', of: ({ transactionId }) => transactionId },
  ];
}

const isOutgoing = ({ amount }: ImportRecord): boolean => amount !== undefined && isNegative(parseDecimal(amount));

function otherName(record: ImportRecord, { account }: Proposal): string | undefined {
  return account ?? (isOutgoing(record) ? record.to : record.from)?.name;
}

function described({ description, tags }: Proposal): string {
  return [description, ...tags.map((tag) => `#${tag}`)].join(' ').trim();
}

/** All records of an import with an outcome, or all, in the order of the file. */
export function recordListing(bookId: string, run: Import, outcome: Outcome | undefined, decisions: Decisions): Listing<ImportRecord> {
  return {
    columns: recordColumns(decisions),
    read: (cursor, signal) => readRecords(bookId, run.id, outcome, cursor ?? '', signal),
  };
}
