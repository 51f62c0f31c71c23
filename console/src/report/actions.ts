import { api } from '~/api/client';
import { useBook } from '~/book/types';
import { useAction } from '~/ui/actions';

/** Closes the period up to a day. The stored files stay, so it cannot be undone as a whole. */
export function useClosePeriod() {
  const { id: bookId, day } = useBook();
  return useAction({
    bookId,
    done: (closingDate: string) => `Closed the books up to ${day(closingDate)}`,
    run: async (closingDate, idempotencyKey) =>
      (await api.post('/v5/books/{bookId}/close', { path: { bookId }, body: { closingDate }, idempotencyKey })).data,
  });
}
