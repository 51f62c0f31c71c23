import { expect, expectAccessible, test } from './support';

test.use({ suite: 'live' });
test.setTimeout(150_000);

test('[39] changes of others appear without reload, over one stream for all tabs', async ({ page, context, daybook, problems }) => {
  const streams: string[] = [];
  context.on('request', (request) => request.url().endsWith('/events/stream') && streams.push(request.url()));
  await page.goto(`${daybook.url}/b/${daybook.bookId}/transactions`);
  await expect(page.getByRole('img', { name: /^Live/ })).toBeVisible();
  await expectAccessible(page);
  const record = (description: string) => daybook.call('POST', `books/${daybook.bookId}/transactions`, {
    date: new Date().toISOString().slice(0, 10), amount: '1.23', description, creditAccount: { name: 'Cash' }, debitAccount: { name: 'Groceries' },
  });
  await record('written by someone else');
  await expect(page.getByRole('row', { name: /written by someone else/ })).toBeVisible();

  const second = await context.newPage();
  await second.goto(`${daybook.url}/b/${daybook.bookId}/transactions`);
  await expect(second.getByRole('img', { name: /^Live/ })).toBeVisible();
  await record('seen by two tabs');
  await expect(second.getByRole('row', { name: /seen by two tabs/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /seen by two tabs/ })).toBeVisible();
  expect(streams).toHaveLength(1);

  // The second tab takes over when the first one closes.
  await page.goto('about:blank');
  await expect.poll(() => streams.length).toBe(2);
  await record('after the handover');
  await expect(second.getByRole('row', { name: /after the handover/ })).toBeVisible();
  await second.close();
  expect(problems).toEqual([]);
});

test('[39] a row that another user records above leaves the cursor on its row', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/b/${daybook.bookId}/transactions`);
  await expect(page.getByRole('img', { name: /^Live/ })).toBeVisible();
  await expect(page.getByRole('grid').getByRole('row').nth(6)).toBeVisible();
  for (let step = 0; step < 5; step += 1) await page.keyboard.press('j');
  const cursor = page.locator('.list-row.is-cursor');
  const before = await cursor.innerText();
  await daybook.call('POST', `books/${daybook.bookId}/transactions`, {
    date: new Date().toISOString().slice(0, 10), amount: '1.11', description: 'pushes the others down', creditAccount: { name: 'Cash' }, debitAccount: { name: 'Groceries' },
  });
  await expect(page.getByRole('row', { name: /pushes the others down/ })).toBeVisible();
  expect(await cursor.innerText()).toBe(before);
  await expect(cursor).toHaveAttribute('aria-rowindex', '7');
  expect(problems).toEqual([]);
});

test('[39] a lost connection is shown and survived, and typed text is kept', async ({ page, context, daybook }) => {
  await page.goto(`${daybook.url}/b/${daybook.bookId}/transactions?entry=line`);
  await expect(page.getByRole('img', { name: /^Live/ })).toBeVisible();
  const line = page.getByRole('combobox', { name: 'New transaction' });
  await line.fill('4.50 tea before the storm');
  await context.setOffline(true);
  await expect(page.getByText('The connection is lost.')).toBeVisible({ timeout: 30_000 });
  await expectAccessible(page);
  await daybook.call('POST', `books/${daybook.bookId}/transactions`, {
    date: new Date().toISOString().slice(0, 10), amount: '2.34', description: 'written while offline', creditAccount: { name: 'Cash' }, debitAccount: { name: 'Groceries' },
  });
  await context.setOffline(false);
  await expect(page.getByRole('img', { name: /^Live/ })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText('The connection is lost.')).toHaveCount(0);
  await expect(page.getByRole('row', { name: /written while offline/ })).toBeVisible();
  await expect(line).toHaveValue('4.50 tea before the storm');
});

test('[39] a server without the stream leaves the console as it is', async ({ page, daybook, problems }) => {
  await page.route('**/events/stream', (route) => route.fulfill({ status: 404, json: { error: { code: 404, message: 'Not Found', errors: [{ reason: 'notFound' }] } } }));
  await page.goto(`${daybook.url}/b/${daybook.bookId}/transactions`);
  await expect(page.getByRole('grid').getByRole('row').nth(2)).toBeVisible();
  await expect(page.getByRole('img', { name: /^Live/ })).toHaveCount(0);
  expect(problems).toEqual([]);
});
