/**
 * Large books stay smooth: `ROWS=1000000 ACCOUNTS=5000 npm run e2e -- long-lists` with a release build.
 * LISTS_DATA names a data directory that keeps the book for the next run.
 */
import type { Browser } from '@playwright/test';
import { bulkBook } from '../scripts/lib/bulk.mjs';
import { gridOf } from './lists';
import { expect, test, settled } from './support';

const DATA = process.env['LISTS_DATA'];
// Traces of Playwright take pictures of the document, which would be measured too.
test.use({ trace: 'off', suite: 'lists', server: { rows: 10, ...(DATA ? { dataDir: DATA } : {}) } });

const ROWS = Number(process.env['ROWS'] ?? 6000);
const ACCOUNTS = Number(process.env['ACCOUNTS'] ?? (ROWS >= 100_000 ? 5000 : 200));
const LIMIT_MS = 100;

/**
 * Measures the tasks of the page's main thread: by the clock, and by the time that they had a processor. On a
 * busy machine only the second one says something about the page.
 */
async function measureTasks(browser: Browser) {
  const session = await browser.newBrowserCDPSession();
  const events: { name: string; tid: number; pid: number; dur?: number; tdur?: number; args?: { name?: string } }[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as typeof events)));
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['toplevel', '__metadata'] } });
  return async () => {
    const done = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
    await session.send('Tracing.end');
    await done;
    await session.detach();
    const main = new Set(events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(({ pid, tid }) => `${pid} ${tid}`));
    const tasks = events.filter(({ name, pid, tid }) => name.endsWith('RunTask') && main.has(`${pid} ${tid}`));
    const worst = (key: 'dur' | 'tdur') => Math.round(Math.max(0, ...tasks.map((task) => task[key] ?? 0)) / 1000);
    return { tasks: tasks.length, wall: worst('dur'), busy: worst('tdur') };
  };
}

test(`[4] ${ROWS} transactions and ${ACCOUNTS} accounts scroll and type without a long task`, { tag: '@large' }, async ({ page, browser, daybook, problems }) => {
  test.setTimeout(1_800_000);
  const started = Date.now();
  const { id } = await bulkBook(daybook.url, daybook.token, { name: `Lists ${ROWS} ${ACCOUNTS}`, rows: ROWS, accounts: ACCOUNTS });
  console.log(`seeding: ${Math.round((Date.now() - started) / 1000)} s`);
  const checkedRows = async () => (await daybook.call('GET', `books/${id}/transactions/count?query=is:checked`)).total as number;
  const checkedBefore = await checkedRows();
  const path = (view: string) => `${daybook.url}/b/${id}/${view}`;
  const slow: string[] = [];
  const report = async (part: string, run: () => Promise<void>) => {
    const stop = await measureTasks(browser);
    const start = Date.now();
    await run();
    const { tasks, wall, busy } = await stop();
    console.log(`${part}: ${tasks} tasks in ${Date.now() - start} ms, worst ${busy} ms of processor, ${wall} ms by the clock`);
    if (busy >= LIMIT_MS) slow.push(`${part}: ${busy} ms`);
  };

  await page.goto(path('transactions'));
  const grid = gridOf(page);
  await expect(grid.getByRole('row').nth(5)).toBeVisible({ timeout: 120_000 });
  await settled(page);
  const loaded = () => grid.locator('.list-body').evaluate((element) => Math.round(element.clientHeight / 26));
  const load = async (upTo: number) => {
    for (let shown = await loaded(); shown < upTo; shown = await loaded()) {
      await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await page.waitForTimeout(30);
    }
  };
  // The last pages, because a trace of all of them would not fit into memory.
  await load(ROWS - 50_000);
  await report('loading', () => load(ROWS));
  await report('scrolling', async () => {
    for (let step = 0; step < 60; step += 1) {
      await grid.evaluate((element, part) => element.scrollTo(0, element.scrollHeight * part), ((step * 7) % 60) / 60);
      await page.waitForTimeout(30);
    }
    await grid.hover();
    for (let step = 0; step < 40; step += 1) await page.mouse.wheel(0, 300);
  });
  await report('keys', async () => {
    await page.keyboard.press('End');
    for (let step = 0; step < 20; step += 1) await page.keyboard.press('k');
    await page.keyboard.press('x');
    await page.keyboard.press('x');
  });
  const cursor = await grid.getAttribute('aria-activedescendant');
  await report('check', async () => {
    await page.keyboard.press('c');
    await expect.poll(checkedRows).toBe(checkedBefore + 1);
    await settled(page);
  });
  expect(await grid.getAttribute('aria-activedescendant')).toBe(cursor);
  expect(await loaded()).toBe(ROWS);
  await page.keyboard.press('c');
  await expect.poll(checkedRows).toBe(checkedBefore);
  await page.keyboard.press('k');
  await page.keyboard.press('e');
  await report('typing in a row', async () => {
    await page.getByRole('textbox', { name: 'Description' }).pressSequentially(' and some more text');
    await page.keyboard.press('Tab');
    await page.keyboard.type('acc');
    await expect(page.getByRole('option').first()).toBeVisible();
    await page.keyboard.type('ount 00');
  });
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await report('typing a query', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('account:account 0');
    await page.keyboard.type(' row 12');
  });
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await report('typing a line', async () => {
    await page.keyboard.press('n');
    await page.keyboard.type('12.50 lunch for many cash account 04');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
  });
  await report('the account finder', async () => {
    await page.keyboard.press('f');
    await page.keyboard.type('account 01');
    await expect(page.getByRole('option').first()).toBeVisible();
    await page.keyboard.press('Escape');
  });
  await report('the sidebar', async () => {
    const tree = page.getByRole('tree');
    await tree.hover();
    for (let step = 0; step < 40; step += 1) await page.mouse.wheel(0, 400);
  });
  await page.goto(path('accounts?all=1'));
  const accounts = page.getByRole('grid', { name: 'Accounts and groups' });
  await expect(accounts.getByRole('row').nth(5)).toBeVisible();
  await report('the accounts', async () => {
    for (let step = 0; step < 40; step += 1) {
      await accounts.evaluate((element, part) => element.scrollTo(0, element.scrollHeight * part), ((step * 7) % 40) / 40);
      await page.waitForTimeout(30);
    }
    await page.keyboard.press('End');
    for (let step = 0; step < 20; step += 1) await page.keyboard.press('k');
  });
  expect(slow).toEqual([]);
  expect(problems).toEqual([]);
});
