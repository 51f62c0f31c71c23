import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { keys } from '~/api/cache';
import { api } from '~/api/client';
import { useBook } from '~/book/types';
import { useUser } from '~/book/queries';
import type { CompletionSources } from '~/lib/query';

const SAMPLE = 500;

/** Names for completion: accounts and groups of the book, hashtags and property keys of its newest rows. */
export function useCompletionSources(): CompletionSources {
  const { id: bookId, accounts, groups } = useBook();
  const user = useUser().data?.username;
  const { data } = useQuery({
    queryKey: keys.hashtags(bookId),
    staleTime: 5 * 60_000,
    queryFn: async ({ signal }) => {
      const page = await api.get('/v5/books/{bookId}/transactions', { path: { bookId }, query: { limit: SAMPLE }, signal });
      const items = page.data.items ?? [];
      return {
        hashtags: [...new Set(items.flatMap((row) => row.tags ?? []))].sort(),
        propertyKeys: [...new Set(items.flatMap((row) => Object.keys(row.properties ?? {})))].filter((key) => !key.endsWith('_')).sort(),
        users: [...new Set(items.flatMap((row) => row.createdBy ?? []))],
      };
    },
  });
  return useMemo(
    () => ({
      accounts: accounts.map((account) => account.name!),
      groups: groups.map((group) => group.name!),
      hashtags: data?.hashtags ?? [],
      propertyKeys: data?.propertyKeys ?? [],
      users: [...new Set([...(data?.users ?? []), ...(user ? [user] : [])])],
    }),
    [accounts, groups, data, user],
  );
}
