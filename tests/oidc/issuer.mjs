// One issuer: oidc-provider on an address of its own, with what Google has beside it, and with the
// ways to fail that the tests ask for.

import { once } from 'node:events';
import { createServer } from 'node:http';

import { failed } from './failures.mjs';
import { jwt, keySet } from './keys.mjs';
import { Provider, jose } from './packages.mjs';
import { settings } from './settings.mjs';
import { storeOf } from './store.mjs';

export class Issuer {
  constructor(number) {
    this.number = number;
    this.users = new Map();
    this.options = {};
    this.Store = storeOf();
    this.counts = {};
    this.failures = {};
    this.rotations = 0;
  }

  async start(port) {
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    await this.rotate({});
    await this.resume();
  }

  // Takes the keys of the next set. oidc-provider reads its settings once, so this is another one
  // with the same memory.
  async rotate({ keep }) {
    const next = await keySet(`${this.number}-${this.rotations}`, `rotation ${this.rotations}`);
    this.retired = keep ? this.keys : undefined;
    this.keys = next;
    this.rotations += 1;
    this.set({});
  }

  set(options) {
    Object.assign(this.options, options);
    const keys = { ...this.keys };
    for (const key of Object.values(this.retired ?? {})) {
      keys[key.kid] = key;
    }
    this.provider = new Provider(this.url, settings({ ...this, keys }));
    this.handle = this.provider.callback();
    this.public = { keys: Object.values(keys).map((key) => key.publicJwk) };
  }

  async resume() {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch((error) => response.destroy(error));
    });
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async pause() {
    if (!this.server.listening) {
      return;
    }
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  async answer(request, response) {
    const url = new URL(request.url, this.url);
    this.counts[url.pathname] = (this.counts[url.pathname] ?? 0) + 1;
    if (await failed(this.failures[url.pathname], request, response)) {
      return;
    }
    if (url.pathname === '/tokeninfo') {
      await this.tokeninfo(request, response, url);
    } else if (url.pathname === '/me' && await this.structured(request, response)) {
      // Answered.
    } else {
      this.handle(request, response);
    }
  }

  // As Google's: all values are text, and what is not a living token is not valid.
  async tokeninfo(request, response, url) {
    let given = url.searchParams;
    if (request.method === 'POST') {
      given = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    }
    const token = await this.provider.AccessToken.find(given.get('access_token') ?? '');
    if (!token?.isValid) {
      const error = { error: 'invalid_token', error_description: 'Invalid Value' };
      return send(response, 400, error);
    }
    const scopes = [...token.scopes];
    const claims = this.users.get(token.accountId);
    const mail = scopes.includes('email')
      ? { email: claims.email, email_verified: String(claims.email_verified) }
      : {};
    return send(response, 200, {
      azp: token.clientId,
      aud: token.clientId,
      sub: token.accountId,
      scope: scopes.map((scope) => this.options.scopeNames?.[scope] ?? scope).join(' '),
      exp: String(token.exp),
      expires_in: String(token.exp - Math.floor(Date.now() / 1000)),
      ...mail,
      access_type: 'online',
    });
  }

  // oidc-provider's own userinfo takes no JWT. Those of other providers do, so access tokens that
  // are JWTs are answered here; all else, ID tokens too, is left to oidc-provider.
  async structured(request, response) {
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    if (token.split('.').length !== 3 || jose.decodeProtectedHeader(token).typ !== 'at+jwt') {
      return false;
    }
    try {
      const set = jose.createLocalJWKSet(this.public);
      const { payload } = await jose.jwtVerify(token, set, { issuer: this.url });
      send(response, 200, { sub: payload.sub, ...this.users.get(payload.sub) });
    } catch {
      send(response, 401, { error: 'invalid_token' });
    }
    return true;
  }

  // `key` says what signs: `{alg}` a current key, `{alg, set}` one of another set, `{secret}` an
  // HMAC. The header has its `alg` and `kid` unless it says otherwise; null leaves a field out.
  async sign({ header, claims, key }) {
    const set = key.set === undefined ? this.keys : await keySet(key.set);
    const pair = set[key.alg];
    const full = { typ: 'JWT', alg: key.alg, kid: pair?.kid, ...header };
    for (const name of Object.keys(full)) {
      if (full[name] === null) {
        delete full[name];
      }
    }
    const how = { algorithm: key.alg, key: pair?.privateKey, secret: key.secret };
    return { token: jwt(full, claims, how) };
  }

  published() {
    const shown = Object.entries(this.keys).map(([alg, { kid, publicJwk, publicPem }]) => (
      [alg, { kid, jwk: publicJwk, pem: publicPem }]
    ));
    return Object.fromEntries(shown);
  }
}

function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
