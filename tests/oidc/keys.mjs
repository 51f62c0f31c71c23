// Signing keys, and JWTs with any header and any claims: also such as no library would make.

import { createHmac, generateKeyPair, sign } from 'node:crypto';
import { promisify } from 'node:util';

const generate = promisify(generateKeyPair);

export const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];

const made = new Map();

function once(name, make) {
  if (!made.has(name)) {
    made.set(name, make());
  }
  return made.get(name);
}

// The key pairs of a set, by algorithm. A set has a name, and its keys have it in their `kid`. To
// make RSA keys takes time, so RS256 and PS256 are two uses of one pair, and sets with the same
// name for it share it; all other keys are the set's own.
export function keySet(name, rsaName = name) {
  return once(`set ${name}`, async () => {
    const rsa = once(`RSA ${rsaName}`, () => generate('rsa', { modulusLength: 2048 }));
    const pairs = await Promise.all([
      rsa,
      rsa,
      generate('ec', { namedCurve: 'P-256' }),
      generate('ed25519'),
    ]);
    const described = ALGORITHMS.map((alg, index) => [alg, describe(alg, name, pairs[index])]);
    return Object.fromEntries(described);
  });
}

function describe(alg, name, { privateKey, publicKey }) {
  const labels = { alg, kid: `${alg}-${name}`, use: 'sig' };
  return {
    kid: labels.kid,
    privateKey,
    privateJwk: { ...privateKey.export({ format: 'jwk' }), ...labels },
    publicJwk: { ...publicKey.export({ format: 'jwk' }), ...labels },
    publicPem: publicKey.export({ format: 'pem', type: 'spki' }),
  };
}

function signature(input, how) {
  const data = Buffer.from(input);
  const { secret, algorithm, key } = how;
  if (secret !== undefined) {
    return createHmac('sha256', secret).update(data).digest();
  }
  switch (algorithm) {
    case 'none':
      return Buffer.alloc(0);
    case 'RS256':
      return sign('sha256', data, key);
    case 'PS256':
      return sign('sha256', data, { key, padding: 6, saltLength: 32 });
    case 'ES256':
      return sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' });
    case 'EdDSA':
      return sign(null, data, key);
    default:
      throw new Error(`no such algorithm: ${algorithm}`);
  }
}

// A JWT of exactly this header and these claims. `how` has the algorithm and the private key that
// really sign it, or the secret of an HMAC; the header may say otherwise.
export function jwt(header, claims, how) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${part(header)}.${part(claims)}`;
  return `${input}.${signature(input, how).toString('base64url')}`;
}
