// Starts a real Daybook server in a temporary data directory, and runs its commands.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const repository = new URL('../../../', import.meta.url).pathname;
const candidates = [process.env.DAYBOOK_BIN, `${repository}target/quick/daybook`, `${repository}target/release/daybook`, `${repository}target/debug/daybook`];

/** The server binary: DAYBOOK_BIN, else a build of this repository. */
export function findBinary() {
  const found = candidates.find((path) => path && existsSync(path));
  if (!found) throw new Error('no server binary: set DAYBOOK_BIN or run `cargo build --bin daybook`');
  return found;
}

/**
 * Starts the server with the console on a port, by default a free one, and waits until it answers.
 * @param {{ binary?: string, port?: number, args?: string[], prefix?: string, dataDir?: string }} [options]
 *   `dataDir` is a data directory to keep; without it there is a new one, which `stop` removes.
 */
export async function startServer({ binary = findBinary(), port = 0, args = [], prefix = '', dataDir: kept } = {}) {
  const dataDir = kept ?? mkdtempSync(join(tmpdir(), 'daybook-console-'));
  chmodSync(dataDir, 0o700);
  const mounted = prefix ? ['--path-prefix', prefix] : [];
  const child = spawn(binary, ['serve', '--listen', `127.0.0.1:${port}`, '--data-dir', dataDir, ...mounted, ...args], {
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  const origin = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the server did not start:\n${log}`)), 60_000);
    const read = (chunk) => {
      log = (log + chunk).slice(-20_000);
      const address = /ready: (http:\/\/127\.0\.0\.1:\d{2,5})/.exec(log)?.[1];
      if (!address) return;
      clearTimeout(timer);
      resolve(address);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}:\n${log}`)));
  });
  const url = origin + prefix;
  const run = (...command) => execFileSync(binary, [...command, '--data-dir', dataDir], { encoding: 'utf8' }).trim();
  return {
    /** Address of the console, without a slash at the end. */
    url,
    pid: child.pid,
    log: () => log,
    /** Runs a command of the server on its data, and returns what it prints. */
    run,
    token: (email) => run('token', '--email', email),
    loginLink: (email, publicUrl = url) => run('login', '--email', email, '--public-url', publicUrl).match(/https?:\S+/)[0],
    async stop() {
      const ended = new Promise((resolve) => child.on('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      if (!kept) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A small API client for scripts: `call('POST', 'books', {name})`. */
export function apiClient(url, token) {
  return async (method, path, body) => {
    const response = await fetch(`${url}/v5/${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  };
}
