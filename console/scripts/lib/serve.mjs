// Serves the built console with the server's security headers and forwards everything else to the server.
// Only for tests and demos with a binary that does not contain the console. The policy is that of
// crates/http/src/console.rs.
import { createServer, request } from 'node:http';
import { readFileSync, statSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';

export const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
  "connect-src 'self'; frame-src 'self' blob:; frame-ancestors 'none'; base-uri 'self'; form-action 'self'";

const FORWARDED = /^\/(v5|auth|files|links|docs|openapi\.json|\.well-known|health)([/?]|$)/;
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
const dist = new URL('../../../crates/console/dist/', import.meta.url).pathname;

/** `upstream()` returns the address of the server; `prefix` mounts everything below a path. */
export async function serveConsole({ upstream, port = 0, prefix = '' }) {
  const server = createServer((incoming, response) => {
    const path = incoming.url.startsWith(`${prefix}/`) ? incoming.url.slice(prefix.length) : undefined;
    if (path === undefined) response.writeHead(404).end();
    else if (FORWARDED.test(path)) forward(new URL(incoming.url, upstream()), incoming, response);
    else sendFile(path.split('?')[0], prefix, response);
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: bound } = server.address();
  return { url: `http://127.0.0.1:${bound}${prefix}`, stop: () => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); }) };
}

function forward(target, incoming, response) {
  const options = { method: incoming.method, headers: incoming.headers };
  const outgoing = request(target, options, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  response.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}

function sendFile(path, prefix, response) {
  const file = join(dist, normalize(path));
  const exists = path !== '/' && file.startsWith(dist) && statSync(file, { throwIfNoEntry: false })?.isFile();
  const type = exists ? (TYPES[extname(file)] ?? 'application/octet-stream') : TYPES['.html'];
  const bytes = exists ? readFileSync(file) : readFileSync(join(dist, 'index.html'), 'utf8').replace('<base href="/">', `<base href="${prefix}/">`);
  response.writeHead(200, {
    'Content-Type': type,
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
    'Cache-Control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
  response.end(bytes);
}
