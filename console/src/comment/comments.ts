/** Comments on a transaction (behaviour 3.14). They change nothing else about it. */
import { useQuery } from '@tanstack/react-query';
import { keys } from '~/api/cache';
import { callNewer } from '~/api/newer';
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

const pathOf = (bookId: string, transactionId: string): string =>
  `v5/books/${encodeURIComponent(bookId)}/transactions/${encodeURIComponent(transactionId)}/comments`;

/** Undefined where comments are not offered: an older server, or a reader who is not a collaborator. */
export function useComments(transactionId: string) {
  const { id: bookId } = useBook();
  return useQuery({
    queryKey: [...keys.transaction(bookId, transactionId), 'comments'],
    queryFn: async ({ signal }) => {
      try {
        return (await callNewer<{ items: readonly Comment[] }>('GET', pathOf(bookId, transactionId), { signal })).items;
      } catch (error) {
        if (isProblem(error, 'notFound') || isProblem(error, 'forbidden') || isProblem(error, 'methodNotAllowed')) return null;
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
    run: (text: string, key) => callNewer<Comment>('POST', pathOf(bookId, transactionId), { body: { text }, key }),
    undo: (_text, comment, key) => callNewer<Comment>('DELETE', `${pathOf(bookId, transactionId)}/${encodeURIComponent(comment.id)}`, { key }),
  });
}

/** Deletes a comment; the undo writes the same text again, as the person who takes it back. */
export function useDeleteComment(transactionId: string) {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: () => 'Deleted a comment',
    run: (comment: Comment, key) => callNewer<Comment>('DELETE', `${pathOf(bookId, transactionId)}/${encodeURIComponent(comment.id)}`, { key }),
    undo: (comment, _result, key) => callNewer<Comment>('POST', pathOf(bookId, transactionId), { body: { text: comment.text }, key }),
  });
}
