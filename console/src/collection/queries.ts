import { useQuery } from '@tanstack/react-query';
import { keys } from '~/api/cache';
import { api } from '~/api/client';

/** The caller's own collections, with their books. */
export function useCollections() {
  return useQuery({
    queryKey: [...keys.books, 'collections'],
    queryFn: async ({ signal }) => (await api.get('/v5/collections', { signal })).data.items ?? [],
  });
}
