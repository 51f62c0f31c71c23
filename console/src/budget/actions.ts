/** Writes on budgets. Each can be undone. */
import { queryClient } from '~/api/cache';
import { api } from '~/api/client';
import type { Account, Book, Transaction } from '~/api/types';
import { booksChanged } from '~/book/actions';
import { useBook } from '~/book/types';
import { isZero } from '~/lib/money';
import { useAction } from '~/ui/actions';
import { balanceAccountBody, BUDGET_OF, findBalanceAccount, planWrites, readCells, type CellChange, type CellWrites } from './cells';
import { budgetAccountsOptions, plannedOptions } from './queries';

const refs = (items: readonly { readonly id?: string }[]) => ({ items: items.map(({ id }) => ({ id: id! })) });

/** Copies the structure of the book (6.6) and marks the copy as its budget. */
export function useCreateBudget() {
  const { id: bookId } = useBook();
  return useAction({
    done: (name: string) => `Created ${name}`,
    run: async (name, key) => {
      const { data: copy } = await api.post('/v5/books/{bookId}/copy', { path: { bookId }, query: { name }, idempotencyKey: key });
      const body: Book = { id: copy.id!, autoPost: true, properties: { [BUDGET_OF]: bookId } };
      const { data } = await api.put('/v5/books', { body, idempotencyKey: `${key}p` });
      booksChanged();
      return data;
    },
    undo: async (_name, budget, idempotencyKey) => {
      await api.delete('/v5/books/{bookId}', { path: { bookId: budget.id! }, idempotencyKey });
      booksChanged();
    },
  });
}

/** Makes a book that exists the budget of this one, or ends that. */
export function useLinkBudget() {
  const { id: bookId } = useBook();
  const write = async (budgetId: string, value: string, idempotencyKey: string) => {
    await api.put('/v5/books', { body: { id: budgetId, properties: { [BUDGET_OF]: value } }, idempotencyKey });
    booksChanged();
  };
  return useAction({
    done: (budget: Book) => `${budget.name} is the budget now`,
    run: (budget, key) => write(budget.id!, bookId, key),
    undo: (budget, _result, key) => write(budget.id!, budget.properties?.[BUDGET_OF] ?? '', key),
  });
}

export interface SetCellsInput {
  readonly changes: readonly CellChange[];
  /** What happened: `Filled 12 cells`. */
  readonly label: string;
}

/** Writes follow each other, each on the state that the one before left. */
let queue: Promise<unknown> = Promise.resolve();

export interface CellScope {
  readonly budgetId: string;
  /** First and last day of the months on the screen. */
  readonly from: string;
  readonly until: string;
  /** Shows changes at once; returns a function that takes them back. */
  readonly show: (changes: readonly CellChange[]) => () => void;
  readonly quiet: boolean;
}

/** Sets cells of the months on the screen. */
export function useSetCells({ budgetId, from, until, show, quiet }: CellScope) {
  const { accounts } = useBook();
  return useAction({
    bookId: budgetId,
    quiet,
    done: ({ label }: SetCellsInput) => label,
    optimistic: ({ changes }) => show(changes),
    run: ({ changes }, key): Promise<CellWrites> => {
      const write = queue.then(() => writeCells({ budgetId, from, until, accounts }, changes, key));
      queue = write.catch(() => undefined);
      return write;
    },
    undo: (_input, writes, key) => undoWrites(budgetId, writes, key),
  });
}

interface Target {
  readonly budgetId: string;
  readonly from: string;
  readonly until: string;
  /** The accounts of the book, for those that the budget lacks. */
  readonly accounts: readonly Account[];
}

async function writeCells({ budgetId, from, until, accounts }: Target, changes: readonly CellChange[], key: string): Promise<CellWrites> {
  const rowsOptions = plannedOptions(budgetId, from, until);
  const own = await completeAccounts(budgetId, accounts, changes, key);
  const byName = new Map(own.map((account) => [account.normalizedName!, account]));
  const rows = await queryClient.ensureQueryData(rowsOptions);
  const writes = planWrites(readCells(rows), changes, (name) => byName.get(name), findBalanceAccount(own)!.id!);
  const path = { bookId: budgetId };
  if (writes.trash.length > 0) await trash(budgetId, writes.trash, `${key}t`);
  if (writes.update.length > 0) await update(budgetId, writes.update.map(({ body }) => body), `${key}u`);
  let created: Transaction[] = [];
  if (writes.create.length > 0) {
    const { data } = await api.post('/v5/books/{bookId}/transactions/batch', { path, body: { items: [...writes.create] }, idempotencyKey: key });
    created = data.items ?? [];
    // Another user has filled the cell meanwhile: the remote id found that transaction, and the last writer wins.
    const differing = (data.known ?? []).filter(({ differs }) => differs).map(({ index }) => ({ id: created[index!]!.id!, ...writes.create[index!] }));
    if (differing.length > 0) await update(budgetId, differing.map(({ remoteIds: _, ...body }) => body), `${key}k`);
    const drafts = created.filter(({ posted }) => !posted);
    if (drafts.length > 0) await api.patch('/v5/books/{bookId}/transactions/post/batch', { path, query: { all: true }, body: refs(drafts), idempotencyKey: `${key}p` });
  }
  await queryClient.fetchQuery({ ...rowsOptions, staleTime: 0 });
  return { ...writes, create: created };
}

/** The accounts of the budget, with those that the changes need and it lacks. */
async function completeAccounts(budgetId: string, accounts: readonly Account[], changes: readonly CellChange[], key: string): Promise<readonly Account[]> {
  const options = budgetAccountsOptions(budgetId);
  const own = await queryClient.ensureQueryData(options);
  const names = new Set(own.map(({ normalizedName }) => normalizedName));
  const wanted = new Set(changes.filter(({ value }) => !isZero(value)).map(({ name }) => name));
  const missing = accounts.filter(({ normalizedName }) => wanted.has(normalizedName!) && !names.has(normalizedName));
  const items: Account[] = missing.map(({ name, type }) => ({ name: name!, type: type! }));
  if (!findBalanceAccount(own)) items.push(balanceAccountBody(own));
  if (items.length === 0) return own;
  const { data } = await api.post('/v5/books/{bookId}/accounts/batch', { path: { bookId: budgetId }, body: { items }, idempotencyKey: `${key}a` });
  const all = [...own, ...(data.items ?? [])];
  queryClient.setQueryData(options.queryKey, all);
  return all;
}

const trash = (bookId: string, rows: readonly Transaction[], idempotencyKey: string) =>
  api.patch('/v5/books/{bookId}/transactions/trash/batch', { path: { bookId }, query: { all: true, trashChecked: true }, body: refs(rows), idempotencyKey });

const update = (bookId: string, items: Transaction[], idempotencyKey: string) =>
  api.put('/v5/books/{bookId}/transactions/batch', { path: { bookId }, query: { all: true, updateChecked: true }, body: { items }, idempotencyKey });

async function undoWrites(budgetId: string, { create, update: updated, trash: trashed }: CellWrites, key: string): Promise<void> {
  if (create.length > 0) await trash(budgetId, create, `${key}t`);
  const items = updated.map(({ before: { id, amount, creditAccount, debitAccount } }): Transaction => ({
    id: id!, amount: amount!, creditAccount: { id: creditAccount!.id! }, debitAccount: { id: debitAccount!.id! },
  }));
  if (items.length > 0) await update(budgetId, items, `${key}u`);
  if (trashed.length > 0) await api.patch('/v5/books/{bookId}/transactions/untrash/batch', { path: { bookId: budgetId }, query: { all: true }, body: refs(trashed), idempotencyKey: key });
}
