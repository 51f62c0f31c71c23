// `npm run demo`: the built console on a real server with a demo book, until Ctrl-C.
//   --dev          Vite with reload on port 5173 instead of the built console
//   --count N      transactions of the demo book (300)
//   --email E      the person who owns it (ada@example.com)
//   --port N       port of the console (a free one)
//   --prefix P     path prefix, such as /books-api
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { startServer } from './lib/daybook.mjs';
import { seedDemo } from './lib/seed.mjs';
import { serveConsole } from './lib/serve.mjs';

const { values } = parseArgs({
  options: {
    dev: { type: 'boolean', default: false },
    count: { type: 'string', default: '300' },
    email: { type: 'string', default: 'ada@example.com' },
    port: { type: 'string', default: '0' },
    prefix: { type: 'string', default: '' },
  },
});

let server;
const front = values.dev
  ? { url: 'http://127.0.0.1:5173', stop: () => {} }
  : await serveConsole({ upstream: () => server.url, port: Number(values.port), prefix: values.prefix });
const origin = new URL(front.url).origin;
server = await startServer({ webOrigin: origin, args: values.prefix ? ['--path-prefix', values.prefix] : [] });
const base = server.url + values.prefix;
await seedDemo(base, server.token(values.email), { count: Number(values.count) });
const vite = values.dev
  ? spawn('npx', ['vite'], { env: { ...process.env, DAYBOOK_SERVER: server.url }, stdio: 'inherit' })
  : undefined;

console.log(`console  ${front.url}/\nserver   ${server.url} (pid ${server.pid})`);
console.log(`sign in  ${server.loginLink(values.email, front.url)}`);
console.log(`then open ${front.url}/`);

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    vite?.kill();
    await Promise.all([server.stop(), front.stop()]);
    process.exit(0);
  });
}
