import { useQuery, keepPreviousData } from '@tanstack/react-query';
import { keys } from '~/api/cache';
import { api } from '~/api/client';
import { useBook } from '~/book/types';

/** Balances of a query in the language of behaviour 1; `by:y` is the whole book. */
export function useBalances(query: string, enabled = true) {
  const { id: bookId, can } = useBook();
  return useQuery({
    queryKey: keys.balances(bookId, query),
    enabled: enabled && can('VIEWER'),
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => (await api.get('/v5/books/{bookId}/balances', { path: { bookId }, query: { query }, signal })).data,
  });
}
