// Real OpenID providers for the tests, as many in one process as they ask for:
//
//     node provider.mjs FOLDER_OF_THE_PACKAGES
//
// It prints the address of its control endpoints and ends with its standard input. `POST /issuers`
// with `{port}` starts an issuer, and `POST /issuers/NUMBER/VERB` is one of `verbs` below. Control
// has an address of its own: an issuer has no page that a real one has not.

import { createServer } from 'node:http';

import { Issuer } from './issuer.mjs';

const issuers = [];

const verbs = {
  // A user's claims; they may change at any time.
  user: (issuer, { sub, claims }) => { issuer.users.set(sub, claims); },
  set: (issuer, options) => issuer.set(options),
  sign: (issuer, order) => issuer.sign(order),
  rotate: (issuer, how) => issuer.rotate(how),
  keys: (issuer) => issuer.published(),
  // Requests of each endpoint so far.
  counts: (issuer) => issuer.counts,
  // An endpoint fails, or with `failure: null` works again.
  fail: (issuer, { path, failure }) => { issuer.failures[path] = failure ?? undefined; },
  pause: (issuer) => issuer.pause(),
  resume: (issuer) => issuer.resume(),
};

async function order(path, body) {
  const [, , number, verb] = path.split('/');
  if (number === undefined) {
    const issuer = new Issuer(issuers.length);
    issuers.push(issuer);
    await issuer.start(body.port);
    return { number: issuer.number, issuer: issuer.url };
  }
  return await verbs[verb](issuers[number], body) ?? {};
}

const control = createServer(async (request, response) => {
  try {
    const text = Buffer.concat(await request.toArray()).toString();
    const done = await order(request.url, JSON.parse(text));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(done));
  } catch (error) {
    response.writeHead(error.code === 'EADDRINUSE' ? 409 : 500).end(String(error.stack));
  }
});

// A pipe that closes when whoever started this ends, by whatever means.
process.stdin.resume();
process.stdin.on('close', () => process.exit());
control.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${control.address().port}`));
