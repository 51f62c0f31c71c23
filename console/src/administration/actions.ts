/** Writes of administrators (9.22). */
import { queryClient } from '~/api/cache';
import { api } from '~/api/client';
import { useAction } from '~/ui/actions';
import { administrationKey, type InstallationUser } from './queries';

const reload = () => queryClient.invalidateQueries({ queryKey: administrationKey });

export function useDisableUser() {
  return useAction({
    done: (user: InstallationUser) => `Disabled ${user.email}`,
    run: async ({ id }, idempotencyKey) => {
      await api.post('/v5/administration/users/{id}/disable', { path: { id }, idempotencyKey });
      await reload();
    },
  });
}

export function useEnableUser() {
  return useAction({
    done: (user: InstallationUser) => `Enabled ${user.email}`,
    run: async ({ id }, idempotencyKey) => {
      await api.post('/v5/administration/users/{id}/enable', { path: { id }, idempotencyKey });
      await reload();
    },
  });
}

export function useInvite() {
  return useAction({
    quiet: true,
    done: (_email: string) => 'Invitation made',
    run: async (email, idempotencyKey) => (await api.post('/v5/administration/invitations', { body: { email }, idempotencyKey })).data,
  });
}
