/** Writes on the people of a book. */
import { keys, queryClient } from '~/api/cache';
import { api } from '~/api/client';
import type { Book } from '~/api/types';
import { useBook } from '~/book/types';
import { useAction } from '~/ui/actions';
import { PERMISSION_NAMES, type GrantedPermission, type SharedPermission } from './permissions';
import { offersKey, type AccessRequest, type BookTransfer, type Collaborator } from './queries';

interface ShareInput {
  readonly email: string;
  readonly permission: SharedPermission;
  readonly message?: string;
  /** The permission before; absent for a new collaborator. */
  readonly before?: SharedPermission | undefined;
}

const name = (permission: string | undefined) => PERMISSION_NAMES[permission as GrantedPermission] ?? permission ?? '';

async function grant(bookId: string, input: Omit<ShareInput, 'before'>, idempotencyKey: string): Promise<Collaborator> {
  const { email, permission, message = '' } = input;
  const options = { path: { bookId }, query: message ? { message } : {}, body: { email, permission }, idempotencyKey };
  return (await api.post('/v5/books/{bookId}/collaborators', options)).data;
}

function removeById(bookId: string, id: string, idempotencyKey: string) {
  return api.delete('/v5/books/{bookId}/collaborators/{id}', { path: { bookId, id }, idempotencyKey });
}

/** Adds somebody, or changes the permission of a collaborator. The undo restores what was before. */
export function useShare() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: ({ email, permission, before }: ShareInput) =>
      before ? `${email}: ${name(permission).toLowerCase()}` : `Shared with ${email}`,
    run: (input, key) => grant(bookId, input, key),
    undo: ({ email, before }, result, key) =>
      before ? grant(bookId, { email, permission: before }, key) : removeById(bookId, result.id!, key),
  });
}

/** Removes somebody. The undo shares the book again with the same permission. */
export function useRemove() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: (person: Collaborator) => `Removed ${person.email}`,
    run: (person, key) => removeById(bookId, person.id!, key),
    undo: (person, _result, key) => grant(bookId, { email: person.email!, permission: person.permission as SharedPermission }, key),
  });
}

/** Takes the caller out of the book. Only the others can undo that. */
export function useLeave() {
  const { id: bookId, book } = useBook();
  return useAction({
    done: (_person: Collaborator) => `You have left ${book.name}`,
    run: async (person, key) => {
      await removeById(bookId, person.id!, key);
      await queryClient.invalidateQueries({ queryKey: keys.books });
      return true;
    },
  });
}

export function useDecline() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: (request: AccessRequest) => `Declined the request of ${request.email}`,
    run: (request, idempotencyKey) =>
      api.delete('/v5/books/{bookId}/collaborators/request/{id}', { path: { bookId, id: request.id! }, idempotencyKey }),
  });
}

interface RequestInput {
  readonly bookId: string;
  readonly permission: GrantedPermission;
  readonly message: string;
}

/** Asks the owner of a book for access. The server answers alike whether the book exists or not. */
export function useRequestAccess() {
  return useAction({
    done: (_input: RequestInput) => 'The owner has your request',
    run: ({ bookId, permission, message }, idempotencyKey) =>
      api.post('/v5/books/{bookId}/collaborators/request', {
        path: { bookId }, query: message.trim() ? { permission, message: message.trim() } : { permission }, idempotencyKey,
      }),
  });
}

export function useVisibility() {
  const { id: bookId, book } = useBook();
  const write = (visibility: NonNullable<Book['visibility']>, idempotencyKey: string) =>
    api.put('/v5/books', { body: { id: bookId, visibility }, idempotencyKey });
  return useAction({
    bookId,
    done: (visibility: NonNullable<Book['visibility']>) => (visibility === 'PUBLIC' ? `${book.name} is public` : `${book.name} is private`),
    run: write,
    undo: (visibility, _result, key) => write(visibility === 'PUBLIC' ? 'PRIVATE' : 'PUBLIC', key),
  });
}

/** Gives the book to a collaborator who asked for it, or offers it to an address (6.21). */
export function useTransfer() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: ({ email }: { readonly email: string }, book: Book) =>
      book.permission === 'OWNER' ? `Offered the book to ${email}` : `${email} is the owner now`,
    run: async ({ email }, idempotencyKey) => {
      const { data } = await api.post('/v5/books/{bookId}/transfer', { path: { bookId }, body: { email }, idempotencyKey });
      void queryClient.invalidateQueries({ queryKey: keys.books });
      return data;
    },
  });
}

interface AnswerInput {
  readonly offer: BookTransfer;
  readonly answer: 'accept' | 'decline' | 'withdraw';
}

/** Accepts, declines or withdraws the offer of a book. */
export function useAnswerOffer(bookId: string) {
  return useAction({
    bookId,
    done: ({ offer, answer }: AnswerInput) =>
      ({ accept: `You own ${offer.bookName} now`, decline: `Declined ${offer.bookName}`, withdraw: `Withdrew the offer to ${offer.email}` })[answer],
    run: async ({ answer }, idempotencyKey) => {
      const options = { path: { bookId }, idempotencyKey };
      if (answer === 'accept') await api.post('/v5/books/{bookId}/transfer/accept', options);
      else await api.delete('/v5/books/{bookId}/transfer', options);
      await queryClient.invalidateQueries({ queryKey: offersKey });
      await queryClient.invalidateQueries({ queryKey: keys.books });
    },
  });
}
