/** Writes of the entry: a typed line, a form with legs and repetitions, a new account. Each can be undone. */
import { api, newKey } from '~/api/client';
import type { Account, Transaction } from '~/api/types';
import { useBook, type OpenBook } from '~/book/types';
import { addDays } from '~/lib/dates';
import { parseDecimal } from '~/lib/money';
import type { AccountType } from '~/lib/signs';
import { useAction } from '~/ui/actions';
import { plural } from '~/transaction/actions';
import { seriesDays } from './series';
import type { Leg } from './split';
import type { FormState } from './store';

const ids = (rows: readonly Transaction[]): Transaction[] => rows.map(({ id }) => ({ id: id! }));

function trashAll(bookId: string, rows: readonly Transaction[], idempotencyKey: string) {
  return api.patch('/v5/books/{bookId}/transactions/trash/batch', { path: { bookId }, query: { all: true }, body: { items: ids(rows) }, idempotencyKey });
}

/** What was recorded, for the toast. */
export function recordedLabel(row: Transaction, { money }: Pick<OpenBook, 'money'>): string {
  const amount = row.amount ? money(parseDecimal(row.amount)) : '';
  const description = row.description?.trim() ? `“${row.description.trim().slice(0, 60)}”` : '';
  const what = [amount, description].filter(Boolean).join(' ') || 'a transaction';
  return row.posted ? `Recorded ${what}` : `Saved ${what} as a draft`;
}

/** Records a typed line as the server reads it. */
export function useRecordLine() {
  const book = useBook();
  const bookId = book.id;
  return useAction({
    bookId,
    done: (_sent: string, row: Transaction) => recordedLabel(row, book),
    identity: (sent) => `${bookId} line ${sent}`,
    run: async (description, idempotencyKey) =>
      (await api.post('/v5/books/{bookId}/transactions', { path: { bookId }, body: { description }, idempotencyKey })).data.transaction,
    undo: async (_sent, row, key) => trashAll(bookId, [row, ...(await findRepeats(bookId, row))], key),
  });
}

const SAME_REQUEST_MS = 5000;

/** The drafts that a line such as `4x` recorded with this row. The response of the create does not name them. */
async function findRepeats(bookId: string, row: Transaction): Promise<Transaction[]> {
  if (!row.date) return [];
  const query = `is:draft after:${addDays(row.date, 1)}`;
  const { data } = await api.get('/v5/books/{bookId}/transactions', { path: { bookId }, query: { query, limit: 1000 } });
  return (data.items ?? []).filter((other) =>
    other.id !== row.id && other.description === row.description && other.amount === row.amount && other.createdBy === row.createdBy &&
    other.creditAccount?.id === row.creditAccount?.id && other.debitAccount?.id === row.debitAccount?.id &&
    Math.abs(Number(other.createdAt) - Number(row.createdAt)) < SAME_REQUEST_MS);
}

/** The description with hashtags; a hashtag that it has already is not added again. */
export function withTags(description: string, tags: string): string {
  const wanted = tags.split(/[\s,]+/).map((tag) => tag.replace(/^#+/, '')).filter(Boolean).map((tag) => `#${tag}`);
  const known = new Set(description.split(/\s+/));
  return [description.trim(), ...wanted.filter((tag) => !known.has(tag))].filter(Boolean).join(' ');
}

const built = new WeakMap<FormState, Transaction[]>();

/** The transactions of a form, with the same new ids while the form stays as it is: a repeated save is the same write. */
export function transactionsOf(form: FormState, legs: readonly Leg[] | undefined): Transaction[] {
  const items = built.get(form) ?? toTransactions(form, legs);
  built.set(form, items);
  return items;
}

/** One transaction for each leg, and for each repetition a draft of each. */
export function toTransactions(form: FormState, legs: readonly Leg[] | undefined): Transaction[] {
  const own = Object.fromEntries(form.properties.filter(({ key }) => key.trim()).map(({ key, value }) => [key.trim(), value]));
  const days = form.repeat && form.date ? [form.date, ...seriesDays(form.date, form.repeat)] : [form.date];
  const series = days.length > 1 ? { series: newKey() } : {};
  return days.flatMap((date, index) => {
    const entry = legs ? { entry_id: newKey() } : {};
    const parts = legs ?? [{ account: '', amount: form.amount, description: '' }];
    return parts.map((leg): Transaction => {
      const from = form.split === 'from' && legs ? leg.account : form.from;
      const to = form.split === 'to' && legs ? leg.account : form.to;
      return {
        ...(date ? { date } : {}),
        ...(leg.amount ? { amount: leg.amount } : {}),
        ...(from ? { creditAccount: { id: from } } : {}),
        ...(to ? { debitAccount: { id: to } } : {}),
        description: withTags(leg.description.trim() || form.description, form.tags),
        properties: { ...own, ...entry, ...series },
        ...(index > 0 ? { draft: true } : {}),
      };
    });
  });
}

/** Records the transactions of a form: all of them or, if the server refuses one, none. */
export function useRecordForm() {
  const book = useBook();
  const bookId = book.id;
  return useAction({
    bookId,
    done: (items: readonly Transaction[], rows: readonly Transaction[]) => {
      const drafts = rows.filter((row) => !row.posted).length;
      if (rows.length === 1) return recordedLabel(rows[0]!, book);
      const posted = items.length - drafts;
      return `Recorded ${[posted && plural(posted, 'transaction'), drafts && plural(drafts, 'draft')].filter(Boolean).join(' and ')}`;
    },
    identity: (items) => `${bookId} form ${JSON.stringify(items)}`,
    run: async (items, idempotencyKey) =>
      (await api.post('/v5/books/{bookId}/transactions/batch', { path: { bookId }, body: { items: [...items] }, idempotencyKey })).data.items,
    undo: (_items, rows, key) => trashAll(bookId, rows, key),
  });
}

export interface NewAccountInput {
  readonly name: string;
  readonly type: AccountType;
  /** Id of a group, or ''. */
  readonly group: string;
}

export function useCreateAccount() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: ({ name }: NewAccountInput) => `Created the account ${name}`,
    run: async ({ name, type, group }, idempotencyKey): Promise<Account> =>
      (await api.post('/v5/books/{bookId}/accounts', {
        path: { bookId }, body: { name, type, ...(group ? { groups: [{ id: group }] } : {}) }, idempotencyKey,
      })).data,
    // The contract has a number here, which would lose digits of an id.
    undo: (_input, account, idempotencyKey) =>
      api.delete('/v5/books/{bookId}/accounts/{id}', { path: { bookId, id: account.id as unknown as number }, idempotencyKey }),
  });
}
