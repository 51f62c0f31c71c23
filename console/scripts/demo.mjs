// `npm run demo`: a server with its console and a demo book, until Ctrl-C.
//   --dev          Vite with reload on port 5173 instead of the console in the binary
//   --count N      transactions of the demo book (300)
//   --email E      the person who owns it (ada@example.com)
//   --port N       port of the server (a free one)
//   --prefix P     path prefix, such as /books-api
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { startServer } from './lib/daybook.mjs';
import { seedDemo } from './lib/seed.mjs';

const { values } = parseArgs({
  options: {
    dev: { type: 'boolean', default: false },
    count: { type: 'string', default: '300' },
    email: { type: 'string', default: 'ada@example.com' },
    port: { type: 'string', default: '0' },
    prefix: { type: 'string', default: '' },
  },
});

const server = await startServer({ port: Number(values.port), prefix: values.prefix });
await seedDemo(server.url, server.token(values.email), { count: Number(values.count) });
const vite = values.dev
  ? spawn('node_modules/.bin/vite', [], { env: { ...process.env, DAYBOOK_SERVER: server.url }, stdio: 'inherit' })
  : undefined;
const url = vite ? 'http://127.0.0.1:5173' : server.url;

console.log(`console  ${url}/\nserver   ${server.url} (pid ${server.pid})`);
console.log(`sign in  ${server.loginLink(values.email, url)}`);
console.log(`then open ${url}/`);

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    vite?.kill();
    await server.stop();
    process.exit(0);
  });
}
