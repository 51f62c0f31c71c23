/** Writes on what belongs to the caller: tokens, keys, sessions, consents, connections and links. */
import { queryClient } from '~/api/cache';
import { api } from '~/api/client';
import { Problem, toProblem } from '~/api/problem';
import type { components } from '~/api/schema';
import { ORIGIN_BASE } from '~/api/session';
import { useAction } from '~/ui/actions';
import { profileKeys, type ApiKey, type Connection, type Consent, type Session, type Token } from './queries';

const reload = (queryKey: readonly string[]) => queryClient.invalidateQueries({ queryKey });

export function useCreateToken() {
  return useAction({
    done: (_request: components['schemas']['TokenRequest']) => 'Token created',
    run: async (body, idempotencyKey) => {
      const { data } = await api.post('/v5/user/tokens', { body, idempotencyKey });
      await reload(profileKeys.tokens);
      return data;
    },
  });
}

export function useRevokeToken() {
  return useAction({
    done: (token: Token) => `Revoked ${token.name || 'the token'}`,
    run: async ({ id }, idempotencyKey) => {
      await api.delete('/v5/user/tokens/{id}', { path: { id: id! }, idempotencyKey });
      await reload(profileKeys.tokens);
    },
  });
}

export function useCreateApiKey() {
  return useAction({
    done: (_request: components['schemas']['ApiKeyRequest']) => 'Key created',
    run: async (body, idempotencyKey) => {
      const { data } = await api.post('/v5/user/keys', { body, idempotencyKey });
      await reload(profileKeys.apiKeys);
      return data;
    },
  });
}

export function useRevokeApiKey() {
  return useAction({
    done: (key: ApiKey) => `Revoked ${key.name || 'the key'}`,
    run: async ({ id }, idempotencyKey) => {
      await api.delete('/v5/user/keys/{id}', { path: { id: id! }, idempotencyKey });
      await reload(profileKeys.apiKeys);
    },
  });
}

export function useEndSession() {
  return useAction({
    done: (_session: Session) => 'Session ended',
    run: async ({ id }, idempotencyKey) => {
      await api.delete('/v5/user/sessions/{id}', { path: { id: id! }, idempotencyKey });
      await reload(profileKeys.sessions);
    },
  });
}

export function useWithdrawConsent() {
  return useAction({
    done: (consent: Consent) => `${consent.name} has no access any more`,
    run: async ({ id }, idempotencyKey) => {
      await api.delete('/v5/user/consents/{id}', { path: { id: id! }, idempotencyKey });
      await reload(profileKeys.consents);
    },
  });
}

export function useDeleteConnection() {
  return useAction({
    done: (connection: Connection) => `Deleted the connection ${connection.name}`,
    run: async ({ id }, idempotencyKey) => {
      await api.delete('/v5/user/connections/{id}', { path: { id: id! }, idempotencyKey });
      await reload(profileKeys.connections);
    },
  });
}

export interface SignInLink {
  readonly url: string;
  readonly expiresAt: string;
  /** A `data:` image; absent for a very long link. */
  readonly qrCode?: string;
}

/** Makes a link that signs the caller in on another device (11.14). Uses the session cookie. */
export function useCreateLink() {
  return useAction({
    quiet: true,
    done: (_input: undefined) => 'Link made',
    run: async (): Promise<SignInLink> => {
      let response: Response;
      try {
        response = await fetch(`${ORIGIN_BASE}auth/links`, { method: 'POST', credentials: 'same-origin' });
      } catch {
        throw new Problem(0, 'network', 'The server cannot be reached.');
      }
      if (response.status === 404) throw new Problem(404, 'notFound', 'This server is older than sign-in links for devices. Run `daybook login` on it instead.');
      if (response.status === 403) throw new Problem(403, 'insufficientScope', "Links are made only at the server's own address.");
      if (!response.ok) throw await toProblem(response);
      return (await response.json()) as SignInLink;
    },
  });
}
