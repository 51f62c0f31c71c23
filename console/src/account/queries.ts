import { useQuery, keepPreviousData } from '@tanstack/react-query';
import { keys } from '~/api/cache';
import { api } from '~/api/client';
import { isProblem } from '~/api/problem';
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

/** An account with the ETag for changes to it. */
export function useAccount(id: string) {
  const { id: bookId } = useBook();
  return useQuery({
    queryKey: [...keys.book(bookId), 'account', id],
    queryFn: async ({ signal }) => {
      const { data, etag } = await api.get('/v5/books/{bookId}/accounts/{id}', { path: { bookId, id }, signal });
      return { account: data, etag };
    },
  });
}

/** A group with the ETag for changes to it. */
export function useGroup(id: string) {
  const { id: bookId } = useBook();
  return useQuery({
    queryKey: [...keys.book(bookId), 'group', id],
    queryFn: async ({ signal }) => {
      const { data, etag } = await api.get('/v5/books/{bookId}/groups/{id}', { path: { bookId, id }, signal });
      return { group: data, etag };
    },
  });
}

/** The last day up to which each account agrees with a statement, by account id; empty on older servers. */
export function useReconciledThrough() {
  const { id: bookId, can } = useBook();
  return useQuery({
    queryKey: [...keys.book(bookId), 'reconciledThrough'],
    enabled: can('VIEWER'),
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
      const days = new Map<string, string>();
      try {
        const { data } = await api.get('/v5/books/{bookId}/reconciliations', { path: { bookId }, query: { limit: 200 }, signal });
        for (const { account, date, difference } of data.items ?? []) {
          const id = account?.id;
          if (id && date && /^-?0(\.0*)?$/.test(difference ?? '') && !days.has(id)) days.set(id, date);
        }
      } catch (error) {
        if (!isProblem(error, 'notFound')) throw error;
      }
      return days;
    },
  });
}
