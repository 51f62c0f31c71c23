/** The profile: preferences, tokens, keys, sessions and devices, on the server's own origin. */
import { expect, expectAccessible, test } from './support';

test.use({ server: { rows: 20 } });

test('[47] theme, density, single keys and terms are preferences of the browser', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/b/${daybook.bookId}/transactions`);
  await page.getByRole('button', { name: /^You:/ }).click();
  await page.getByRole('menuitem', { name: 'Profile and devices' }).click();
  await expect(page).toHaveURL(/\/me$/);
  await expect(page.getByText('ada@example.com')).toBeVisible();
  await page.getByLabel('Theme').selectOption('dark');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expectAccessible(page);
  await page.getByLabel('Rows').selectOption('comfortable');
  await expect(page.locator('html')).toHaveAttribute('data-density', 'comfortable');
  await page.getByLabel('Debit and Credit').check();
  await page.getByLabel('Single-key shortcuts').uncheck();
  await page.reload();
  await expect(page.getByLabel('Theme')).toHaveValue('dark');
  await expect(page.getByLabel('Single-key shortcuts')).not.toBeChecked();
  await page.locator('body').press('?');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.getByLabel('Single-key shortcuts').check();
  await page.getByLabel('Theme').selectOption('light');
  await expectAccessible(page);
  expect(problems).toEqual([]);
});

test('a token is created with limits, shown once and revoked', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/me/access`);
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Backup <script>');
  await page.getByLabel('Days until it ends').fill('0');
  await expect(page.getByText('a number from 1 to 3650')).toBeVisible();
  await page.getByLabel('Days until it ends').fill('7');
  await page.getByLabel('May only read').check();
  await page.getByLabel('Household').check();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create the token' }).click();
  const secret = await page.getByLabel('Access token', { exact: true }).inputValue();
  expect(secret.length).toBeGreaterThan(20);
  const row = page.getByRole('row', { name: /Backup <script> reads Household/ });
  await expect(row).toBeVisible();
  await expectAccessible(page);
  const read = await page.request.get(`${daybook.url}/v5/books`, { headers: { Authorization: `Bearer ${secret}` } });
  expect((await read.json()).items.map(({ name }: { name: string }) => name)).toEqual(['Household']);
  await page.reload();
  await expect(row).toBeVisible();
  await expect(page.getByLabel('Access token', { exact: true })).toHaveCount(0);
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(row).toContainText('revoked');
  await expect.poll(async () => (await page.request.get(`${daybook.url}/v5/books`, { headers: { Authorization: `Bearer ${secret}` } })).status()).toBe(401);

  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name of the key').fill('Importer');
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('API key', { exact: true })).toHaveValue(/.{20,}/);
  await page.getByRole('button', { name: 'I have it' }).click();
  await page.getByRole('button', { name: 'Revoke the key Importer' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByRole('row', { name: /Importer revoked/ })).toBeVisible();
  expect(problems).toEqual([]);
});

test('[45] another device signs in by a link and is signed out from here', async ({ page, browser, daybook, problems }) => {
  await page.goto(`${daybook.url}/me/devices`);
  await expect(page.getByText('this browser')).toBeVisible();
  await page.getByRole('button', { name: 'Make a sign-in link' }).click();
  const link = await page.getByRole('textbox', { name: 'Sign-in link' }).inputValue();
  await expect(page.getByRole('img', { name: /QR code/ })).toBeVisible();
  await expectAccessible(page);
  const phone = await (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage();
  await phone.goto(link);
  await phone.getByRole('button').first().click();
  await phone.goto(`${daybook.url}/me`);
  await expect(phone.getByText('ada@example.com')).toBeVisible();
  expect(await phone.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
  await expectAccessible(phone);

  await page.reload();
  const ends = page.getByRole('button', { name: /^End the session/ });
  await expect(ends.first()).toBeVisible();
  for (let left = await ends.count(); left > 0; left -= 1) {
    await ends.first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'End the session' }).click();
    await expect(ends).toHaveCount(left - 1);
  }
  // Servers remember for five seconds that a session is alive.
  await expect(async () => {
    await phone.reload();
    await expect(phone.getByRole('link', { name: 'Sign in' })).toBeVisible({ timeout: 2000 });
  }).toPass({ timeout: 30_000 });
  await phone.context().close();
  expect(problems).toEqual([]);
});

test('[45] the profile explains what an older server or another address does not offer', async ({ page, daybook }) => {
  await page.route('**/v5/user/sessions', (route) => route.fulfill({ status: 404, json: { error: { code: 404, message: 'no such operation', errors: [{ reason: 'notFound' }] } } }));
  await page.route('**/v5/user/tokens', (route) => route.fulfill({ status: 403, json: { error: { code: 403, message: 'not here', errors: [{ reason: 'insufficientScope' }] } } }));
  await page.goto(`${daybook.url}/me/devices`);
  await expect(page.getByText('does not list sessions')).toBeVisible();
  await page.goto(`${daybook.url}/me/access`);
  await expect(page.getByText("only at the server's own address")).toBeVisible();
  await page.goto(`${daybook.url}/me`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('link', { name: 'Sign in' }).or(page.getByRole('button', { name: /Sign in/ }))).toBeVisible();
});
