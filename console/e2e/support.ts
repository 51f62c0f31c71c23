/**
 * Fixtures of all browser tests: a real server with the console that it delivers itself and a demo book, and a
 * page that is signed in. Import `test` and `expect` from here.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as base, expect, type Page, type Request } from '@playwright/test';
import { apiClient, startServer } from '../scripts/lib/daybook.mjs';
import { seedDemo } from '../scripts/lib/seed.mjs';

export interface ServerOptions {
  readonly args?: string[];
  readonly prefix?: string;
  readonly rows?: number;
  /** A data directory to keep. */
  readonly dataDir?: string;
}

export interface Daybook {
  /** Address of the console, without a slash at the end. */
  readonly url: string;
  readonly bookId: string;
  readonly email: string;
  readonly token: string;
  readonly call: (method: string, path: string, body?: unknown) => Promise<any>; // eslint-disable-line @typescript-eslint/no-explicit-any
  /** Runs a command of the operator, such as `webhooks list`. */
  readonly run: (...command: string[]) => string;
  /** A link that signs somebody in; the first one creates the user. */
  readonly signInLink: (email?: string) => string;
  /** Signs a page in as somebody. */
  readonly signIn: (page: Page, email?: string) => Promise<void>;
}

export const test = base.extend<{ page: Page; problems: string[] }, { daybook: Daybook; suite: string; server: ServerOptions }>({
  /** Files that change the book set a name of their own, which gives them a server of their own. */
  suite: ['', { option: true, scope: 'worker' }],

  /** How the server of a file is started, and how much its demo book holds. */
  server: [{}, { option: true, scope: 'worker' }],

  daybook: [
    async ({ server: { args = [], prefix = '', rows = 300, ...kept } }, use) => {
      const server = await startServer({ args, prefix, ...kept });
      const email = 'ada@example.com';
      const token = server.token(email);
      const book = await seedDemo(server.url, token, { count: rows });
      await use({
        url: server.url,
        bookId: book.id,
        email,
        token,
        call: apiClient(server.url, token),
        run: server.run,
        signInLink: (who = email) => server.loginLink(who),
        signIn: async (page, who = email) => {
          if (process.env['CONSOLE_DIST']) await serveConsole(page, process.env['CONSOLE_DIST']);
          await page.goto(server.loginLink(who));
          await page.getByRole('button').first().click();
          await page.waitForURL((url) => !url.pathname.includes('/auth/'));
        },
      });
      await server.stop();
    },
    { scope: 'worker' },
  ],

  /** Errors of scripts and violations of the Content-Security-Policy; each test fails on one. */
  problems: async ({ page }, use) => {
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of (401|400|404|412)/.test(message.text())) problems.push(message.text());
    });
    await use(problems);
    expect(problems).toEqual([]);
  },

  page: async ({ page, daybook }, use) => {
    watchRequests(page);
    await daybook.signIn(page);
    await use(page);
  },
});

/** Serves a built console in place of the one in the binary, without its Content-Security-Policy. */
async function serveConsole(page: Page, dist: string): Promise<void> {
  await page.route('**', (route) => {
    const { pathname } = new URL(route.request().url());
    // The page after signing in is that of the binary, because a redirect is not intercepted.
    if (pathname.startsWith('/assets/') && existsSync(join(dist, pathname))) return route.fulfill({ path: join(dist, pathname) });
    const isPage = route.request().resourceType() === 'document' && !/^\/(v5|auth|files|docs|links)(\/|$)/.test(pathname);
    return isPage ? route.fulfill({ path: join(dist, 'index.html') }) : route.fallback();
  });
}

const axe = readFileSync(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

interface AxeResults {
  violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/** Runs axe on the page and expects no violation of WCAG 2.2 A and AA. */
export async function expectAccessible(page: Page): Promise<void> {
  // The code of a view loads when it is opened.
  await page.getByRole('main').waitFor();
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.evaluate(axe);
  const results = await page.evaluate(async () => {
    const runner = (window as unknown as { axe: { run: (root: Document, options: object) => Promise<unknown> } }).axe;
    return runner.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] });
  });
  const found = (results as AxeResults).violations.map(({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.slice(0, 3).map((node) => `${node.html} ${node.failureSummary ?? ''}`).join('\n  ')}`);
  expect(found).toEqual([]);
}

export { expect };

const underway = new WeakMap<Page, Set<Request>>();

/** Counts the requests of a page that it waits for. The event stream never ends, so the network is never idle. */
function watchRequests(page: Page): void {
  const open = new Set<Request>();
  underway.set(page, open);
  page.on('request', (request) => !request.url().endsWith('/events/stream') && open.add(request));
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
}

/** Waits until a view has what it asked for: no answer is outstanding, twice in a row. */
export async function settled(page: Page): Promise<void> {
  const open = underway.get(page)!;
  let quiet = 0;
  await expect.poll(async () => {
    await page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve, 50)); }));
    quiet = open.size === 0 ? quiet + 1 : 0;
    return quiet;
  }, { intervals: [50] }).toBeGreaterThan(2);
}
