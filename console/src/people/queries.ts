import { useQuery } from '@tanstack/react-query';
import { keys } from '~/api/cache';
import { api } from '~/api/client';
import { isProblem } from '~/api/problem';
import type { components } from '~/api/schema';

export type Collaborator = components['schemas']['Collaborator'];
export type AccessRequest = components['schemas']['AccessRequest'];
export type BookTransfer = components['schemas']['BookTransfer'];

export const offersKey = ['user', 'transfers'] as const;

/** The people of a book, the owner first. `undefined` data with a `forbidden` error for recorders and readers. */
export function useCollaborators(bookId: string) {
  return useQuery({
    queryKey: [...keys.book(bookId), 'collaborators'],
    queryFn: async ({ signal }) => (await api.get('/v5/books/{bookId}/collaborators', { path: { bookId }, signal })).data.items ?? [],
  });
}

export function useAccessRequests(bookId: string, enabled: boolean) {
  return useQuery({
    enabled,
    queryKey: [...keys.book(bookId), 'access-requests'],
    queryFn: async ({ signal }) => (await api.get('/v5/books/{bookId}/collaborators/request', { path: { bookId }, signal })).data.items ?? [],
  });
}

/** The open offer of a book that the caller owns, or null. */
export function useOwnOffer(bookId: string, isOwner: boolean) {
  return useQuery({
    enabled: isOwner,
    queryKey: [...keys.book(bookId), 'transfer'],
    queryFn: async ({ signal }) => {
      try {
        return (await api.get('/v5/books/{bookId}/transfer', { path: { bookId }, signal })).data;
      } catch (error) {
        if (isProblem(error, 'notFound')) return null;
        throw error;
      }
    },
  });
}

/** Books that others offer to the caller. */
export function useOffersToMe() {
  return useQuery({
    queryKey: offersKey,
    queryFn: async ({ signal }) => (await api.get('/v5/user/transfers', { signal })).data.items ?? [],
  });
}
