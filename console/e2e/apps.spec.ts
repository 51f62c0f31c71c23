/** Apps of a book: install, answers, delivery log with replay, and removal, with a real webhook. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { download } from './lists';
import { expect, expectAccessible, test } from './support';

test.use({ suite: 'apps' });

test('[42] [43] an app is installed, fails, gets the event again and is removed', async ({ page, daybook, problems }) => {
  test.slow(); // A long story with several axe runs.
  let answer: { status: number; body: object } = { status: 200, body: { error: 'No tax rate for <b>lunch</b>' } };
  const received: { type: string }[] = [];
  const webhook = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => { text += chunk.toString(); });
    request.on('end', () => {
      received.push(JSON.parse(text) as { type: string });
      response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
  const { port } = webhook.address() as AddressInfo;
  await daybook.call('POST', 'apps', {
    id: 'tax-bot', name: 'Tax bot <i>', description: 'Records the tax.', webhookUrl: `http://127.0.0.1:${port}/`, events: ['TRANSACTION_POSTED'],
  });

  await page.goto(`${daybook.url}/b/${daybook.bookId}/transactions`);
  await expect(page.getByText('304 rows')).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('x');
  await expect(page).toHaveURL(/\/apps$/);
  await expect(page.getByText('No apps work in this book')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Install Tax bot <i>' }).click();
  await expect(page.getByRole('dialog')).toContainText('Transaction posted');
  await page.getByRole('dialog').getByRole('button', { name: 'Install' }).click();
  await expect(page.getByRole('list', { name: 'Installed apps' })).toContainText('Tax bot <i>');
  await expect(page.getByText('Nothing was delivered yet')).toBeVisible();

  const at = `books/${daybook.bookId}`;
  await daybook.call('POST', `${at}/transactions`, {
    date: new Date().toISOString().slice(0, 10), amount: '12.50', description: 'Lunch with tax', creditAccount: { name: 'Cash' }, debitAccount: { name: 'Groceries' },
  });
  await expect.poll(async () => (await daybook.call('GET', `${at}/events?error=true`)).items.length, { timeout: 20_000 }).toBe(1);
  await page.reload();
  const failed = page.getByRole('list', { name: 'Failed deliveries' });
  await expect(failed).toContainText('posted Lunch with tax');
  await expect(failed).toContainText('No tax rate for lunch');
  await expectAccessible(page);

  answer = { status: 200, body: { result: 'Tax 2.00' } };
  await failed.getByRole('button', { name: /Deliver again: Lunch with tax/ }).click();
  await expect(page.getByText('tax-bot has the event')).toBeVisible();
  await expect(failed).toHaveCount(0);
  expect(received.map(({ type }) => type)).toEqual(['TRANSACTION_POSTED', 'TRANSACTION_POSTED']);

  const log = page.getByRole('list', { name: 'Deliveries to Tax bot <i>' });
  await expect(log).toContainText('2 attempts');
  await log.getByRole('button', { name: /Attempts of event/ }).click();
  await expect(log).toContainText('Tax 2.00');
  await expect(log).toContainText('No tax rate for lunch');
  await log.getByRole('button', { name: /Deliver again: event/ }).click();
  await expect(log).toContainText('3 attempts');
  const attempts = (await download(page, 'the deliveries to Tax bot <i>')).text.split('\r\n');
  expect(attempts[0]).toBe('sequence,eventId,attempt,at,status,durationMs,error,answer');
  expect(attempts.at(-2)).toBe('end,3,,,,,,');
  expect((await download(page, 'the apps')).text).toContain(',tax-bot,Tax bot <i>,');
  await expectAccessible(page);

  await page.goto(`${daybook.url}/b/${daybook.bookId}/history`);
  await expect(page.getByRole('listitem').filter({ hasText: 'posted Lunch with tax' }).first()).toContainText('Tax 2.00');
  await page.goto(`${daybook.url}/b/${daybook.bookId}/apps`);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
  await page.getByRole('button', { name: 'Remove Tax bot <i>' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the app' }).click();
  await expect(page.getByText('No apps work in this book')).toBeVisible();
  await new Promise((resolve) => webhook.close(resolve));
  expect(problems).toEqual([]);
});

test('[43] a pause shows its cause, and one after failures is ended', async ({ page, daybook, problems }) => {
  await daybook.call('POST', 'apps', { id: 'slow-bot', name: 'Slow bot', description: 'Sleeps.', events: ['TRANSACTION_POSTED'] });
  await daybook.call('POST', `books/${daybook.bookId}/integrations`, { agentId: 'slow-bot' });
  const apps = page.getByRole('list', { name: 'Installed apps' });
  await page.goto(`${daybook.url}/b/${daybook.bookId}/apps`);
  await expect(apps).toContainText('Slow bot');
  await expect(apps).not.toContainText('paused');
  await expect(page.getByRole('button', { name: 'Resume Slow bot' })).toHaveCount(0);

  daybook.run('webhooks', 'pause', '--book', daybook.bookId, '--app', 'slow-bot');
  await page.reload();
  await expect(apps).toContainText('The operator of the server paused it, and alone can resume it.');
  await expect(page.getByRole('button', { name: 'Resume Slow bot' })).toHaveCount(0);
  await expectAccessible(page);

  // The server pauses an app after three days of failures, which a test cannot wait for.
  daybook.run('webhooks', 'resume', '--app', 'slow-bot');
  let isPaused = true;
  await page.route('**/integrations', async (route) => {
    if (route.request().method() === 'PUT') isPaused = false;
    const response = await route.fetch();
    const body = (await response.json()) as { items?: object[] };
    const items = body.items?.map((item) => (isPaused ? { ...item, pausedAt: '1700000000000', pauseCause: 'FAILURES' } : item));
    await route.fulfill({ response, json: items ? { ...body, items } : body });
  });
  await page.reload();
  await expect(apps).toContainText('All its deliveries failed for three days.');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Resume Slow bot' }).click();
  await expect(page.getByText('Slow bot receives events again')).toBeVisible();
  await expect(apps).not.toContainText('Paused');
  await page.unrouteAll({ behavior: 'wait' });
  expect(problems).toEqual([]);
});
