/**
 * Fixtures of all browser tests: a real server with a demo book, the built console on the server's origin
 * with its Content-Security-Policy, and a page that is signed in. Import `test` and `expect` from here.
 */
import { readFileSync } from 'node:fs';
import { test as base, expect, type Page } from '@playwright/test';
import { apiClient, startServer } from '../scripts/lib/daybook.mjs';
import { seedDemo } from '../scripts/lib/seed.mjs';
import { serveConsole } from '../scripts/lib/serve.mjs';

export interface Daybook {
  /** Address of the console, without a slash at the end. */
  readonly url: string;
  readonly bookId: string;
  readonly email: string;
  readonly call: (method: string, path: string, body?: unknown) => Promise<any>; // eslint-disable-line @typescript-eslint/no-explicit-any
  /** Signs a page in as somebody; the first sign-in creates the user. */
  readonly signIn: (page: Page, email?: string) => Promise<void>;
}

export const test = base.extend<{ page: Page; problems: string[] }, { daybook: Daybook; suite: string }>({
  /** Files that change the book set a name of their own, which gives them a server of their own. */
  suite: ['', { option: true, scope: 'worker' }],

  daybook: [
    async ({}, use) => {
      let upstream = '';
      const front = await serveConsole({ upstream: () => upstream });
      const server = await startServer({ webOrigin: front.url });
      upstream = server.url;
      const email = 'ada@example.com';
      const token = server.token(email);
      const book = await seedDemo(server.url, token);
      await use({
        url: front.url,
        bookId: book.id,
        email,
        call: apiClient(server.url, token),
        signIn: async (page, who = email) => {
          await page.goto(server.loginLink(who, front.url));
          await page.getByRole('button').first().click();
        },
      });
      await server.stop();
      await front.stop();
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
    await daybook.signIn(page);
    await use(page);
  },
});

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

/** Waits until a view has asked for what it shows. The event stream never ends, so the network is never idle. */
export async function settled(page: Page): Promise<void> {
  await page.waitForTimeout(700);
}
