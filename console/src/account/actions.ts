/** Writes on accounts. */
import { api } from '~/api/client';
import { isProblem } from '~/api/problem';
import type { Account, Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { useAction } from '~/ui/actions';
import { changeItems, type AccountChange, type AccountMove } from './batch';
import { findOpeningAccount, openingAccountBody, openingTransaction, type OpeningInput } from './opening';

const refs = (items: readonly { readonly id?: string }[]) => ({ items: items.map(({ id }) => ({ id: id! })) });
const count = (items: readonly unknown[]) => `${items.length} account${items.length === 1 ? '' : 's'}`;

/** Creates accounts. The undo deletes them, or archives those that have transactions by then. */
export function useCreateAccounts() {
  const { id: bookId } = useBook();
  const path = { bookId };
  return useAction({
    bookId,
    done: (items: readonly Account[]) => `Created ${items.length === 1 ? items[0]!.name : count(items)}`,
    run: async (items, idempotencyKey) =>
      (await api.post('/v5/books/{bookId}/accounts/batch', { path, body: { items: [...items] }, idempotencyKey })).data.items ?? [],
    undo: async (_items, created, key) => {
      try {
        await api.post('/v5/books/{bookId}/accounts/delete/batch', { path, body: refs(created), idempotencyKey: key });
      } catch (error) {
        if (!isProblem(error, 'badRequest')) throw error;
        const { items } = changeItems(created, { archived: true });
        await api.put('/v5/books/{bookId}/accounts/batch', { path, body: { items }, idempotencyKey: `${key}a` });
      }
    },
  });
}

export interface UpdateAccountInput {
  /** For the message. */
  readonly name: string;
  readonly body: Account;
  readonly before: Account;
  readonly etag: string | undefined;
}

export function useUpdateAccount() {
  const { id: bookId } = useBook();
  const update = (body: Account, idempotencyKey: string, ifMatch?: string) =>
    api.put('/v5/books/{bookId}/accounts', { path: { bookId }, body, idempotencyKey, ifMatch });
  return useAction({
    bookId,
    done: ({ name }: UpdateAccountInput) => `Saved ${name}`,
    run: ({ body, etag }, key) => update(body, key, etag),
    undo: ({ before }, _result, key) => update(before, key),
  });
}

export interface ChangeAccountsInput {
  readonly accounts: readonly Account[];
  readonly change: AccountChange;
  /** What happens to them, in the past tense: `Archived`. */
  readonly verb: string;
}

/** Changes many accounts by one request: all or none. */
export function useChangeAccounts() {
  const { id: bookId } = useBook();
  const write = (items: Account[], idempotencyKey: string) => api.put('/v5/books/{bookId}/accounts/batch', { path: { bookId }, body: { items }, idempotencyKey });
  return useAction({
    bookId,
    done: ({ accounts, verb }: ChangeAccountsInput) => `${verb} ${accounts.length === 1 ? accounts[0]!.name : count(accounts)}`,
    run: ({ accounts, change }, key) => write(changeItems(accounts, change).items, key),
    undo: ({ accounts, change }, _result, key) => write(changeItems(accounts, change).undo, key),
  });
}

export interface MoveAccountsInput {
  readonly moves: readonly AccountMove[];
  /** The name of the group; '' takes them out of all. */
  readonly to: string;
}

/** Moves accounts between groups, each from where it was dragged. */
export function useMoveAccounts() {
  const { id: bookId } = useBook();
  const write = (items: Account[], idempotencyKey: string) => api.put('/v5/books/{bookId}/accounts/batch', { path: { bookId }, body: { items }, idempotencyKey });
  return useAction({
    bookId,
    done: ({ moves, to }: MoveAccountsInput) => {
      const what = moves.length === 1 ? moves[0]!.account.name : `${moves.length} accounts`;
      return to ? `Moved ${what} to ${to}` : `Took ${what} out of all groups`;
    },
    run: ({ moves }, key) => write(moves.map(({ account, groups }) => ({ id: account.id!, groups: groups.map((id) => ({ id })) })), key),
    undo: ({ moves }, _result, key) => write(moves.map(({ account: { id, groups } }) => ({ id: id!, groups: (groups ?? []).map((group) => ({ id: group.id! })) })), key),
  });
}

/** Deletes accounts without postings; the server says why it refuses others. The undo creates them again. */
export function useDeleteAccounts() {
  const { id: bookId } = useBook();
  const path = { bookId };
  return useAction({
    bookId,
    done: (accounts: readonly Account[]) => `Deleted ${accounts.length === 1 ? accounts[0]!.name : count(accounts)}`,
    run: (accounts, idempotencyKey) => api.post('/v5/books/{bookId}/accounts/delete/batch', { path, body: refs(accounts), idempotencyKey }),
    undo: (accounts, _result, idempotencyKey) => {
      const items = accounts.map(({ name, type, archived, groups, minBalance, properties }): Account => ({
        name: name!, type: type!, archived: archived ?? false, groups: (groups ?? []).map(({ id }) => ({ id: id! })), properties: properties ?? {}, ...(minBalance ? { minBalance } : {}),
      }));
      return api.post('/v5/books/{bookId}/accounts/batch', { path, body: { items }, idempotencyKey });
    },
  });
}

/** Records opening balances as posted transactions, and makes the account `Opening balances` when needed. */
export function useRecordOpenings() {
  const { id: bookId, accounts, groups, lockedUntil, day } = useBook();
  const path = { bookId };
  return useAction({
    bookId,
    identity: (inputs) => `${bookId} openings ${JSON.stringify(inputs.map((input) => openingTransaction(input, '')))}`,
    done: (inputs: readonly OpeningInput[]) => (inputs.length === 1 ? 'Recorded the opening balance' : `Recorded ${inputs.length} opening balances`),
    run: async (inputs, key): Promise<Transaction[]> => {
      // The server would keep them as drafts, which are in no balance.
      if (inputs.some(({ date }) => date <= lockedUntil)) throw new Error(`The book is locked up to ${day(lockedUntil)}. Choose a later day.`);
      const opening = findOpeningAccount(accounts)
        ?? (await api.post('/v5/books/{bookId}/accounts', { path, body: openingAccountBody(groups), idempotencyKey: `${key}a` })).data;
      const items = inputs.map((input) => openingTransaction(input, opening.id!));
      const created = (await api.post('/v5/books/{bookId}/transactions/batch', { path, body: { items }, idempotencyKey: key })).data.items ?? [];
      const drafts = created.filter(({ posted }) => !posted);
      // Books without automatic posting create drafts.
      if (drafts.length > 0) await api.patch('/v5/books/{bookId}/transactions/post/batch', { path, query: { all: true }, body: refs(drafts), idempotencyKey: `${key}p` });
      return created;
    },
    undo: (_inputs, created, idempotencyKey) => api.patch('/v5/books/{bookId}/transactions/trash/batch', { path, body: refs(created), idempotencyKey }),
  });
}
