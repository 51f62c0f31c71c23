// How oidc-provider is set up: its clients, its users' claims, its kinds of access tokens.

import { ALGORITHMS } from './keys.mjs';

// Whoever asks for an access token with this prefix as `resource`, and an algorithm behind it, gets
// a JWT; without `resource` it is opaque.
const RESOURCE = 'https://books.example/api/';

const SIGN_IN_SECRET = 'of:the+server%2F&under=test';

const visitors = [...ALGORITHMS, 'brief'].map((name) => ({
  client_id: `web-${name}`,
  client_secret: 'of-the-web-page',
  redirect_uris: ['https://client.example/callback'],
  token_endpoint_auth_method: 'client_secret_post',
  id_token_signed_response_alg: ALGORITHMS.includes(name) ? name : 'RS256',
}));

// The server under test, which asks for introspection. Its secret has what RFC 6749, 2.3.1, encodes
// before it goes into the header.
const asking = {
  client_id: 'daybook',
  client_secret: 'a:b+c%2F&d=e f',
  redirect_uris: [],
  response_types: [],
  grant_types: [],
  token_endpoint_auth_method: 'client_secret_basic',
};

// The server under test, through which people sign in: with a secret, and without one. It is there
// once it is known where it is.
const signingIn = (redirects) => (redirects === undefined ? [] : [
  {
    client_id: 'sign-in',
    client_secret: SIGN_IN_SECRET,
    redirect_uris: redirects,
    token_endpoint_auth_method: 'client_secret_basic',
  },
  {
    client_id: 'sign-in-public',
    redirect_uris: redirects,
    token_endpoint_auth_method: 'none',
  },
]);

// The settings of an issuer whose users are `users` (claims by `sub`). `options` can change
// between two tokens:
// - emailInIdToken: ID tokens have the claims of their scope, not `sub` alone.
// - claimsInAccessToken: so do access tokens, also in the answer of introspection.
// - redirects: where it sends browsers back to that sign in to the server under test.
export function settings({ users, options, keys, Store }) {
  return {
    adapter: Store,
    clients: [...visitors, asking, ...signingIn(options.redirects)],
    pkce: { required: (_, client) => client.clientId.startsWith('sign-in') },
    jwks: { keys: Object.values(keys).map((key) => key.privateJwk) },
    cookies: { keys: ['only for tests'] },
    claims: {
      email: ['email', 'email_verified'],
      profile: ['name', 'given_name', 'family_name', 'picture', 'hd'],
    },
    conformIdTokenClaims: !options.emailInIdToken,
    async findAccount(_, sub) {
      const claims = users.get(sub);
      return claims && { accountId: sub, claims: async () => ({ sub, ...claims }) };
    },
    async extraTokenClaims(_, token) {
      return options.claimsInAccessToken ? users.get(token.accountId) : undefined;
    },
    ttl: {
      AccessToken: (_, token, client) => (client.clientId === 'web-brief' ? 30 : 3600),
      AuthorizationCode: 60,
      Grant: 3600,
      IdToken: 3600,
      Interaction: 600,
      Session: 3600,
    },
    features: {
      introspection: { enabled: true, allowedPolicy: () => true },
      revocation: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        async getResourceServerInfo(_, resource) {
          return {
            audience: resource,
            scope: 'openid email profile',
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: resource.slice(RESOURCE.length) } },
          };
        },
      },
    },
  };
}
