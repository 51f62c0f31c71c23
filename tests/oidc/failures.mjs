// The ways an endpoint fails, by request of a test.

import { once } from 'node:events';

const wait = (seconds) => new Promise((done) => {
  setTimeout(done, seconds * 1000);
});

// Answers as `failure` says; false where the endpoint is to answer by itself.
export async function failed(failure, request, response) {
  switch (failure?.kind) {
    case undefined:
      return false;
    // Answers after a while, and then rightly.
    case 'slow':
      await wait(failure.seconds);
      return response.destroyed;
    case 'status':
      response.writeHead(failure.status, { 'content-type': 'application/json' });
      response.end(failure.body ?? '{"error":"server_error"}');
      return true;
    case 'redirect':
      response.writeHead(failure.status ?? 302, { location: failure.location });
      response.end();
      return true;
    // Valid JSON of many megabytes.
    case 'huge':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"padding":"');
      await pour(response, failure.megabytes);
      response.end('"}');
      return true;
    // As fast as it is read, without an end.
    case 'endless':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"padding":"');
      await pour(response, Infinity);
      return true;
    // A byte a second: each read succeeds, and it never ends.
    case 'dripping':
      response.writeHead(200, { 'content-type': 'application/json' });
      while (!response.destroyed) {
        response.write(' ');
        await wait(1);
      }
      return true;
    default:
      throw new Error(`no such failure: ${failure.kind}`);
  }
}

async function pour(response, megabytes) {
  const megabyte = 'x'.repeat(1024 * 1024);
  const ended = once(response, 'close');
  for (let written = 0; written < megabytes && !response.destroyed; written += 1) {
    if (!response.write(megabyte)) {
      await Promise.race([once(response, 'drain'), ended]);
    }
  }
}
