import { useQuery } from '@tanstack/react-query';
import { api } from '~/api/client';
import type { components } from '~/api/schema';

type Schemas = components['schemas'];
export type Token = Schemas['Token'];
export type ApiKey = Schemas['ApiKey'];
export type Session = Schemas['Session'];
export type Consent = Schemas['Consent'];
export type Connection = Schemas['Connection'];

export const profileKeys = {
  tokens: ['user', 'tokens'] as const,
  apiKeys: ['user', 'keys'] as const,
  sessions: ['user', 'sessions'] as const,
  consents: ['user', 'consents'] as const,
  connections: ['user', 'connections'] as const,
};

export function useTokens() {
  return useQuery({ queryKey: profileKeys.tokens, queryFn: async ({ signal }) => (await api.get('/v5/user/tokens', { signal })).data.items ?? [] });
}

export function useApiKeys() {
  return useQuery({ queryKey: profileKeys.apiKeys, queryFn: async ({ signal }) => (await api.get('/v5/user/keys', { signal })).data.items ?? [] });
}

export function useSessions() {
  return useQuery({ queryKey: profileKeys.sessions, queryFn: async ({ signal }) => (await api.get('/v5/user/sessions', { signal })).data.items ?? [] });
}

export function useConsents() {
  return useQuery({ queryKey: profileKeys.consents, queryFn: async ({ signal }) => (await api.get('/v5/user/consents', { signal })).data.items ?? [] });
}

export function useConnections() {
  return useQuery({ queryKey: profileKeys.connections, queryFn: async ({ signal }) => (await api.get('/v5/user/connections', { signal })).data.items ?? [] });
}
