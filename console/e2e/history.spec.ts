/** The event log of a book and its proof. */
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './support';

test.use({ suite: 'history' });

interface RawEvent { sequence: number; hash: string; canonical: string }

/** Calls the API from a signed-in page, as the person of that page. */
async function callAs(page: Page, method: string, path: string, body: unknown): Promise<void> {
  const status = await page.evaluate(async ([verb, to, content]) => {
    const { accessToken } = (await (await fetch('/auth/refresh', { method: 'POST' })).json()) as { accessToken: string };
    const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' };
    return (await fetch(`/v5/${to}`, { method: verb!, headers, body: content! })).status;
  }, [method, path, JSON.stringify(body)]);
  expect(status).toBeLessThan(300);
}

test('[40] the log shows who changed what, filters by type, author and time, and links to the transaction', async ({ page, browser, daybook, problems }) => {
  test.slow();
  const at = `books/${daybook.bookId}`;
  await daybook.call('POST', `${at}/collaborators`, { email: 'bob@example.com', permission: 'EDITOR' });
  const [draft] = (await daybook.call('GET', `${at}/transactions?limit=1&query=is:draft`)).items;
  await daybook.call('PUT', `${at}/transactions`, { id: draft.id, description: 'Changed <b>by Ada</b>', amount: '77.10' });
  const bob = await (await browser.newContext()).newPage();
  await daybook.signIn(bob, 'bob@example.com');
  await bob.goto(daybook.url);
  await callAs(bob, 'PUT', `${at}/transactions`, { id: draft.id, description: 'Changed by Bob', properties: { vat: '19' } });
  await bob.context().close();

  await page.goto(`${daybook.url}/b/${daybook.bookId}/history`);
  const first = page.getByRole('listitem').filter({ hasText: 'bob changed Changed by Bob' }).first();
  await expect(first).toContainText('description');
  await expect(first.locator('del')).toHaveText('Changed <b>by Ada</b>');
  await expect(first).toContainText('vat empty');
  await expectAccessible(page);
  await first.getByRole('button', { name: /Details of event/ }).click();
  await expect(first).toContainText('Hash');

  await page.getByLabel('By', { exact: true }).selectOption('bob');
  await expect(page).toHaveURL(/by=bob/);
  await expect(page.getByRole('status').filter({ hasText: '1 event by bob' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('status').filter({ hasText: '1 event by bob' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear the filters' }).click();

  await page.getByLabel('What').selectOption({ label: 'Transaction updated' });
  await expect(page.getByRole('status').filter({ hasText: /^2 events/ })).toBeVisible();
  await page.getByLabel('From').fill('tomorrow');
  await expect(page.getByRole('heading', { name: 'No such events' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show all events' }).click();

  await page.getByRole('link', { name: 'Changed by Bob' }).click();
  await expect(page).toHaveURL(new RegExp(`panel=transaction:${draft.id}`));
  await expect(page.getByRole('complementary', { name: /Transaction|Draft/ })).toContainText('Changed by Bob');
  await page.keyboard.press('Escape');

  await first.getByRole('button', { name: /Details of event/ }).click();
  await page.getByRole('link', { name: 'All events of this item' }).click();
  await expect(page.getByRole('status').filter({ hasText: /^3 events/ })).toBeVisible();
  expect(problems).toEqual([]);
});

test('[40] older events follow in pages', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/b/${daybook.bookId}/history`);
  await expect(page.getByRole('status').filter({ hasText: /^100 events/ })).toBeVisible();
  await page.getByRole('button', { name: 'Show older events' }).click();
  await expect(page.getByRole('status').filter({ hasText: /^200 events/ })).toBeVisible();
  expect(problems).toEqual([]);
});

test('[41] the chain is verified in the browser, and a rewritten or shortened log is found', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/b/${daybook.bookId}/history`);
  const proof = page.getByRole('region', { name: 'Proof' });
  await proof.getByRole('button', { name: 'Verify' }).click();
  await expect(proof).toContainText('Verified in this browser up to event');
  await expect(proof).toContainText('It will notice on your next visit');
  await expect(proof).toContainText('SHA-256 was recomputed for all');
  await expectAccessible(page);

  await page.reload();
  await proof.getByRole('button', { name: 'Verify' }).click();
  await expect(proof).toContainText('2 hashes from your earlier visits are unchanged');

  await page.route('**/events?limit=200*', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { items: RawEvent[] };
    await route.fulfill({ response, json: { ...body, items: body.items.map((event) => (event.sequence === 1 ? { ...event, hash: 'f'.repeat(64) } : event)) } });
  });
  await proof.getByRole('button', { name: 'Verify' }).click();
  await expect(proof.getByRole('alert')).toContainText('The chain breaks at event 1. The event is not the one that this browser saw before.');
  await expectAccessible(page);

  await page.unroute('**/events?limit=200*');
  await page.route('**/events?limit=200*', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { items: RawEvent[] };
    await route.fulfill({ response, json: { ...body, items: body.items.filter((event) => event.sequence !== 7) } });
  });
  await proof.getByRole('button', { name: 'Verify' }).click();
  await expect(proof.getByRole('alert')).toContainText('The chain breaks at event 7. An event is missing.');

  await page.unroute('**/events?limit=200*');
  await page.route('**/events?limit=200*', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { items: RawEvent[] };
    const forge = (event: RawEvent) => (event.sequence === 7 ? { ...event, canonical: event.canonical.replace('"data":{', '"data":{"forged":true,') } : event);
    await route.fulfill({ response, json: { ...body, items: body.items.map(forge) } });
  });
  await proof.getByRole('button', { name: 'Verify' }).click();
  await expect(proof.getByRole('alert')).toContainText('The chain breaks at event 7. The hash does not follow from the event and the one before it.');
  expect(problems).toEqual([]);
});

test('[41] an audit is started from the page and its result is shown', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/b/${daybook.bookId}/history`);
  const proof = page.getByRole('region', { name: 'Proof' });
  await expect(proof).toContainText('Never audited');
  await proof.getByRole('button', { name: 'Start an audit' }).click();
  await expect(proof).toContainText('Audit without findings', { timeout: 30_000 });
  await expect(page.getByText(/audited the book/)).toBeVisible();
  await proof.getByRole('button', { name: 'Verify' }).click();
  await expect(proof).toContainText('SHA-256 was recomputed for all');
  await expectAccessible(page);
  expect(problems).toEqual([]);
});

test('[25] [26] people, history and the profile open by keys and by the palette', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/b/${daybook.bookId}/transactions`);
  await expect(page.getByText('304 rows')).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('h');
  await expect(page).toHaveURL(/\/history$/);
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await expect(page).toHaveURL(/\/people$/);
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard map' })).toContainText('People');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('devices');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/me\/devices$/);
  expect(problems).toEqual([]);
});

test('[40] the history works at 360 pixels in the dark theme', async ({ page, daybook, problems }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${daybook.url}/b/${daybook.bookId}/history`);
  await expect(page.getByRole('button', { name: 'Show older events' })).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
  await expectAccessible(page);
  expect(problems).toEqual([]);
});
