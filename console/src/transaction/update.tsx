/** Updates of transactions: one with its version (ETag), or many at once, all or none. */
import { api, newKey } from '~/api/client';
import { isProblem, Problem } from '~/api/problem';
import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { useAction } from '~/ui/actions';
import { applyChange, changeOf, fieldsOf, inverseOf, isEmptyChange, type Change, type Fields } from './changes';
import { ConflictDialog } from './ConflictDialog';
import { QuestionDialog } from './Dialog';
import { patchTransactions } from './queries';
import { ask } from './questions';
import { plural } from './actions';

export interface Update {
  readonly row: Transaction;
  readonly change: Change;
}

export interface UpdateInput {
  readonly updates: readonly Update[];
  /** The version that the change of the first row was made on. */
  readonly etag?: string | undefined;
  /** What happened, instead of `Changed 3 transactions`. */
  readonly done?: string;
}

/** An ETag that no version has: the server refuses the change, and both versions are shown. */
export const OUTDATED = '"outdated"';

/** Checked transactions whose change was confirmed; each is asked about once. */
const confirmed = new Set<string>();

/** Asks once before checked transactions are changed. Resolves to whether the action goes on. */
export async function confirmChecked(rows: readonly Transaction[], verb = 'Change'): Promise<boolean> {
  const checked = rows.filter(({ id, checked: isChecked, trashed }) => isChecked && !trashed && !confirmed.has(id!));
  if (checked.length === 0) return true;
  const isOne = checked.length === 1;
  const answer = await ask<boolean>((reply) => (
    <QuestionDialog title={isOne ? 'The transaction is checked' : `${checked.length} transactions are checked`} confirm={verb} onConfirm={() => reply(true)} onCancel={() => reply(undefined)}>
      <p>{isOne ? 'It agrees with a statement.' : 'They agree with a statement.'} {verb} {isOne ? 'it' : 'them'} anyway? {verb === 'Change' && (isOne ? 'It stays checked.' : 'They stay checked.')}</p>
    </QuestionDialog>
  ));
  if (answer) checked.forEach(({ id }) => confirmed.add(id!));
  return answer === true;
}

const askVersions = (mine: Fields, theirs: Transaction): Promise<Fields | undefined> =>
  ask<Fields>((reply) => <ConflictDialog mine={mine} theirs={theirs} onAnswer={reply} />);

async function saveMany(bookId: string, updates: readonly Update[], idempotencyKey: string): Promise<void> {
  await api.put('/v5/books/{bookId}/transactions/batch', {
    path: { bookId },
    query: { all: true, ...(updates.some(({ row }) => row.checked) ? { updateChecked: true } : {}) },
    body: { items: updates.map(({ row, change }) => ({ id: row.id!, ...change })) },
    idempotencyKey,
  });
}

const readNewest = (bookId: string, id: string) => api.get('/v5/books/{bookId}/transactions/{id}', { path: { bookId, id } });

/** The update with the values that the person chooses, of the own and the stored version. */
async function chooseVersion({ row, change }: Update, theirs: Transaction): Promise<Update> {
  const answer = await askVersions(fieldsOf(applyChange(row, change, () => undefined)), theirs);
  if (!answer) throw new Problem(412, 'conflict', 'Nothing was saved. The list shows the stored version.');
  const { date: _, description: __, amount: ___, creditAccount: ____, debitAccount: _____, ...others } = change;
  return { row: theirs, change: { ...others, ...changeOf(theirs, answer) } };
}

/** Saves one row. When it was changed meanwhile, the person chooses between both versions. */
async function saveOne(bookId: string, { row, change }: Update, etag: string | undefined, idempotencyKey: string): Promise<Update> {
  try {
    await api.put('/v5/books/{bookId}/transactions', { path: { bookId }, body: { id: row.id!, ...change }, ifMatch: etag, idempotencyKey });
    return { row, change };
  } catch (error) {
    if (!isProblem(error) || !error.isStale) throw error;
    const { data: theirs, etag: newest } = await readNewest(bookId, row.id!);
    const next = await chooseVersion({ row, change }, theirs);
    return isEmptyChange(next.change) ? next : saveOne(bookId, next, newest, newKey());
  }
}

/**
 * Saves a row with the rows that follow it: its legs and repetitions. A batch takes no ETag (0.17), so the version of
 * the row is compared before it. Those who follow do so only while it is changed.
 */
async function saveTogether(bookId: string, [first, ...followers]: readonly Update[], etag: string | undefined, idempotencyKey: string): Promise<readonly Update[]> {
  if (!first) return [];
  let own = first;
  if (etag !== undefined) {
    const { data: theirs, etag: newest } = await readNewest(bookId, first.row.id!);
    if (newest !== etag) own = await chooseVersion(first, theirs);
  }
  const kept = Object.keys(own.change);
  const all = [own, ...followers.filter(({ change }) => own === first || Object.keys(change).every((name) => kept.includes(name)))];
  const updates = all.filter(({ change }) => !isEmptyChange(change));
  if (updates.length > 0) await saveMany(bookId, updates, idempotencyKey);
  return updates;
}

/** Saves changes; checked rows must be confirmed before. The undo restores the previous values. */
export function useUpdate() {
  const { id: bookId, accountById } = useBook();
  return useAction({
    bookId,
    done: ({ updates, done }: UpdateInput) => done ?? `Changed ${plural(updates.length, 'transaction')}`,
    run: async ({ updates, etag }, key): Promise<readonly Update[]> => {
      const [first] = updates;
      if (first && updates.length === 1 && !first.row.checked) return [await saveOne(bookId, first, etag, key)];
      return saveTogether(bookId, updates, etag, key);
    },
    undo: (_input, saved, key) => saveMany(bookId, saved.map(({ row, change }) => ({ row, change: inverseOf(row, change) })), key),
    optimistic: ({ updates }) => {
      const changes = new Map(updates.map(({ row, change }) => [row.id!, change]));
      return patchTransactions(bookId, [...changes.keys()], (row) => applyChange(row, changes.get(row.id!)!, (id) => accountById.get(id)));
    },
  });
}
