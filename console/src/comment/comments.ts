/** Comments on a transaction (behaviour 3.14). They change nothing else about it. */
import { useQuery } from '@tanstack/react-query';
import { keys } from '~/api/cache';
import { api } from '~/api/client';
import { isProblem } from '~/api/problem';
import type { User } from '~/api/types';
import { useBook } from '~/book/types';
import { useAction } from '~/ui/actions';

export interface Comment {
  readonly id: string;
  readonly text: string;
  readonly user: User;
  readonly agent?: { readonly id?: string; readonly name?: string };
  readonly createdAt: string;
}

const COMMENTS = '/v5/books/{bookId}/transactions/{transactionId}/comments';
const COMMENT = '/v5/books/{bookId}/transactions/{transactionId}/comments/{commentId}';

async function write(bookId: string, transactionId: string, text: string, idempotencyKey: string): Promise<Comment> {
  return (await api.post(COMMENTS, { path: { bookId, transactionId }, body: { text }, idempotencyKey })).data as Comment;
}

async function remove(bookId: string, transactionId: string, commentId: string, idempotencyKey: string): Promise<Comment> {
  return (await api.delete(COMMENT, { path: { bookId, transactionId, commentId }, idempotencyKey })).data as Comment;
}

/** Null for a reader who is not a collaborator. */
export function useComments(transactionId: string) {
  const { id: bookId } = useBook();
  return useQuery({
    queryKey: [...keys.transaction(bookId, transactionId), 'comments'],
    queryFn: async ({ signal }) => {
      try {
        const { data } = await api.get(COMMENTS, { path: { bookId, transactionId }, signal });
        return data.items as readonly Comment[];
      } catch (error) {
        if (isProblem(error, 'forbidden')) return null;
        throw error;
      }
    },
  });
}

/** Writes a comment; the undo deletes it. */
export function useWriteComment(transactionId: string) {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    quiet: true,
    done: () => 'Commented',
    run: (text: string, key) => write(bookId, transactionId, text, key),
    undo: (_text, comment, key) => remove(bookId, transactionId, comment.id, key),
  });
}

/** Deletes a comment; the undo writes the same text again, as the person who takes it back. */
export function useDeleteComment(transactionId: string) {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: () => 'Deleted a comment',
    run: (comment: Comment, key) => remove(bookId, transactionId, comment.id, key),
    undo: (comment, _result, key) => write(bookId, transactionId, comment.text, key),
  });
}
