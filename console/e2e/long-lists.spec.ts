/** Long lists stay smooth: `ROWS=200000 npx playwright test e2e/long-lists.spec.ts`. */
import type { Browser } from '@playwright/test';
import { gridOf, makeBook } from './lists';
import { expect, test, settled } from './support';

// Traces of Playwright take pictures of the document, which would be measured too.
test.use({ trace: 'off' });

const ROWS = Number(process.env['ROWS'] ?? 6000);

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

test(`[4] ${ROWS} rows scroll without a long task, and a check far down keeps its place`, async ({ page, browser, daybook, problems }) => {
  test.setTimeout(900_000);
  const book = await makeBook(daybook, []);
  for (let start = 0; start < ROWS; start += 5000) {
    const items = Array.from({ length: Math.min(5000, ROWS - start) }, (_, at) => ({
      date: new Date(Date.UTC(2020, 0, 1) + ((start + at) % 2200) * 86_400_000).toISOString().slice(0, 10),
      description: `Row ${start + at} #bulk`, amount: `${1 + (at % 90)}.00`, creditAccount: { name: 'Bank' }, debitAccount: { name: 'Food' },
    }));
    await daybook.call('POST', `${book.at}/transactions/batch`, { items });
  }
  await page.goto(book.path('transactions'));
  const grid = gridOf(page);
  await expect(grid.getByRole('row').nth(5)).toBeVisible();
  await settled(page);
  const loaded = () => grid.locator('.list-body').evaluate((element) => Math.round(element.clientHeight / 26));
  const report = async (part: string, run: () => Promise<void>) => {
    const stop = await measureTasks(browser);
    await run();
    const { tasks, wall, busy } = await stop();
    console.log(`${part}: ${tasks} tasks, worst ${busy} ms of processor, ${wall} ms by the clock`);
    expect(busy, part).toBeLessThan(100);
  };
  await report('loading', async () => {
    while ((await loaded()) < ROWS) {
      await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await page.waitForTimeout(30);
    }
  });
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
    await expect.poll(async () => (await book.find('is:checked')).length).toBe(1);
    await settled(page);
  });
  expect(await grid.getAttribute('aria-activedescendant')).toBe(cursor);
  expect(await loaded()).toBe(ROWS);
  await page.keyboard.press('k');
  await page.keyboard.press('e');
  await report('typing', async () => {
    await page.getByRole('textbox', { name: 'Description' }).pressSequentially(' and some more text');
  });
  expect(problems).toEqual([]);
});
