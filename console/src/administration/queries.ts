import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api } from '~/api/client';
import type { components } from '~/api/schema';

type Schemas = components['schemas'];
export type InstallationUser = Schemas['InstallationUser'];
export type InstallationStatus = Schemas['InstallationStatus'];
export type UnsentMail = Schemas['UnsentMail'];

export const administrationKey = ['administration'] as const;

/** The users of the installation by address, or the one with an address. */
export function useInstallationUsers(email: string) {
  return useInfiniteQuery({
    queryKey: [...administrationKey, 'users', email],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }) => {
      const query = email ? { email } : {};
      const { data } = await api.get('/v5/administration/users', { query, cursor: pageParam || undefined, signal });
      return { items: data.items, cursor: data.cursor };
    },
    getNextPageParam: (last) => last.cursor,
  });
}

export function useInstallationStatus() {
  return useQuery({
    queryKey: [...administrationKey, 'status'],
    queryFn: async ({ signal }) => (await api.get('/v5/administration/status', { signal })).data,
  });
}
