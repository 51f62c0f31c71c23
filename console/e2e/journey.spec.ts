/** One person's way through the whole console, as she would go it: from signing in to signing out. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { lineOf, moveTo } from './lists';
import { expect, expectAccessible, test } from './support';
import { startWebhook } from './webhook';

test.use({ suite: 'journey' });

const now = new Date();
const today = now.toISOString().slice(0, 10);
const shown = `${today.slice(8)}/${today.slice(5, 7)}/${today.slice(0, 4)}`;
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

const line = (page: Page) => page.getByRole('combobox', { name: 'New transaction' });
const reading = (page: Page) => page.getByRole('group', { name: 'Reading of the line' });

test('from signing in to signing out: record, find, edit, merge, attach, check, reconcile, report, print, share, apps, a lost network', async ({ page, context, browser, daybook, problems }) => {
  test.setTimeout(300_000);

  await test.step('sign in', async () => {
    await page.goto('about:blank');
    await context.clearCookies();
    await page.goto(daybook.url);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await expect(page).toHaveURL(/\/auth\/login/);
    await daybook.signIn(page);
    await page.goto(daybook.url);
  });

  await test.step('make a book', async () => {
    await page.getByRole('button', { name: 'New book' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Our money');
    await page.getByLabel('Currency').fill('EUR');
    await page.getByLabel('Dates').selectOption('dd/MM/yyyy');
    await page.getByLabel('Time zone').selectOption('UTC');
    await page.getByRole('group', { name: 'Starter charts' }).getByRole('button', { name: /^Household/ }).click();
    await page.getByRole('button', { name: 'Create book' }).click();
    await expect(page.getByRole('heading', { name: 'Our money is ready' })).toBeVisible();
  });
  const bookId = /\/b\/([^/?]+)/.exec(page.url())![1]!;
  const find = async (query: string) => (await daybook.call('GET', `books/${bookId}/transactions?query=${encodeURIComponent(query)}`)).items;

  await test.step('record by line', async () => {
    await page.getByRole('link', { name: 'Transactions', exact: true }).click();
    await page.keyboard.press('n');
    await page.keyboard.type('2500 monthly pay salary checking account');
    await expect(reading(page)).toContainText('Income');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Recorded 2,500.00')).toBeVisible();
    await page.keyboard.type('12.50 lunch cash restau');
    await page.keyboard.press('Tab');
    await page.keyboard.type('#canteen');
    await expect(reading(page)).toContainText('Expense, paid from Cash');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Recorded 12.50')).toBeVisible();
    await page.keyboard.press('Escape');
    expect((await find('lunch'))[0]).toMatchObject({ date: today, amount: '12.50', posted: true, debitAccount: { name: 'Restaurants' } });
  });

  await test.step('record by form', async () => {
    await page.keyboard.press('Shift+N');
    const form = page.getByRole('form', { name: 'Form' });
    for (const description of ['Weekly shopping', 'Market hall']) {
      await form.getByLabel('From').fill('checking');
      await page.keyboard.press('Tab');
      await form.getByLabel('To', { exact: true }).fill('groc');
      await page.keyboard.press('Tab');
      await form.getByLabel('Amount').fill('40*2');
      await form.getByLabel('Description').fill(description);
      await form.getByLabel('Description').press('Enter');
      await expect(lineOf(page, description)).toBeVisible();
      await expect(form.getByLabel('Description')).toHaveValue('');
    }
    await page.keyboard.press('Escape');
    await expect(form).toHaveCount(0);
  });

  await test.step('find', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('account:groc');
    await page.keyboard.press('Tab');
    await page.keyboard.type('shopping');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/q=account:Groceries\+shopping/);
    await expect(lineOf(page, 'Weekly shopping')).toBeVisible();
    await expect(lineOf(page, 'Market hall')).toHaveCount(0);
  });

  await test.step('edit', async () => {
    await moveTo(page, 'Weekly shopping');
    await page.keyboard.press('e');
    await page.getByRole('textbox', { name: 'Description' }).fill('Weekly shopping #food');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await find('#food')).length).toBe(1);
    await page.keyboard.press('Escape');
    await page.goBack();
    await expect(lineOf(page, 'Market hall')).toBeVisible();
  });

  await test.step('merge', async () => {
    for (const text of ['Weekly shopping', 'Market hall']) {
      await moveTo(page, text);
      await page.keyboard.press('x');
    }
    await page.keyboard.press('m');
    const dialog = page.getByRole('dialog', { name: 'Merge two transactions' });
    await dialog.getByRole('radio', { name: 'Weekly shopping' }).check();
    await dialog.getByRole('button', { name: 'Merge' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(lineOf(page, 'Market hall')).toHaveCount(0);
    await expect.poll(async () => (await find('account:Groceries')).length).toBe(1);
  });

  await test.step('attach', async () => {
    await moveTo(page, 'Weekly shopping');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Transaction' });
    await panel.locator('input[type=file]').setInputFiles({ name: 'receipt <1>.png', mimeType: 'image/png', buffer: PNG });
    await panel.getByRole('listitem').filter({ hasText: 'receipt <1>.png' }).getByRole('button', { name: 'View' }).click();
    await expect.poll(() => panel.locator('.file-view img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
    await page.keyboard.press('Escape');
    await expect(lineOf(page, 'Weekly shopping').getByRole('img', { name: 'Has a file' })).toBeVisible();
  });

  await test.step('check off', async () => {
    await moveTo(page, 'lunch');
    await page.keyboard.press('c');
    await expect(lineOf(page, 'lunch').getByRole('button', { name: 'Checked' })).toBeVisible();
    await expect.poll(async () => (await find('is:checked')).length).toBe(1);
  });

  await test.step('reconcile', async () => {
    await page.keyboard.press('f');
    await page.keyboard.type('checking');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('grid', { name: 'Register of Checking account' })).toBeVisible();
    await page.keyboard.press('r');
    await page.getByLabel('Statement up to').fill(shown);
    await page.getByLabel('Closing balance in EUR').fill('2420');
    await page.keyboard.press('Enter');
    await expect(page.locator('.reconcile-difference')).toContainText('2,420.00');
    await page.getByRole('button', { name: 'Tick all' }).click();
    await expect(page.getByText('The account agrees with the statement')).toBeVisible();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
    await expect.poll(async () => (await find('is:checked')).length).toBe(3);
  });

  await test.step('report, and print it to PDF', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('b');
    await expect(page.getByRole('treegrid').getByRole('row', { name: /Checking account/ })).toContainText('2,420.00');
    await expectAccessible(page);
    const popup = page.waitForEvent('popup');
    await page.getByRole('button', { name: 'Print' }).click();
    const sheet = await popup;
    await sheet.waitForLoadState();
    await expect(sheet.locator('body')).toContainText('Our money');
    const path = test.info().outputPath('balance sheet.pdf');
    await sheet.pdf({ path });
    expect(readFileSync(path).subarray(0, 5).toString()).toBe('%PDF-');
    await sheet.close();
  });

  const bob = await (await browser.newContext()).newPage();
  await test.step('share with a second person in a second session', async () => {
    await daybook.signIn(bob, 'bob@example.com');
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.getByLabel('E-mail address', { exact: true }).fill('bob@example.com');
    await page.getByLabel('Permission', { exact: true }).selectOption('EDITOR');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await expect(page.getByRole('row', { name: /bob@example.com/ })).toBeVisible();
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    await expect(lineOf(page, 'lunch')).toBeVisible();
    await bob.goto(`${daybook.url}/b/${bookId}/transactions`);
    await expect(lineOf(bob, 'lunch')).toBeVisible();
    await bob.keyboard.press('n');
    await bob.keyboard.type('5 <b>tea</b> for two cash restaurants');
    await expect(reading(bob)).toContainText('Expense, paid from Cash');
    await bob.keyboard.press('Enter');
    await expect(bob.getByText('Recorded 5.00')).toBeVisible();
    // Nobody reloads.
    await expect(lineOf(page, '<b>tea</b> for two')).toBeVisible();
    await bob.context().close();
  });

  const webhook = await startWebhook({ result: 'VAT 0.95 <i>set aside</i>' });
  await test.step("see an app's answer", async () => {
    await daybook.call('POST', 'apps', { id: 'journey-tax', name: 'Journey tax', installable: true, events: ['TRANSACTION_POSTED'], webhookUrl: webhook.url });
    await page.keyboard.press('g');
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Install Journey tax' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Install' }).click();
    await expect(page.getByRole('list', { name: 'Installed apps' })).toContainText('Journey tax');
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    await expect(lineOf(page, 'lunch')).toBeVisible();
    await page.keyboard.press('n');
    await page.keyboard.type('5.95 stamps cash household supplies');
    await expect(reading(page)).toContainText('Household supplies');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Recorded 5.95')).toBeVisible();
    await page.keyboard.press('Escape');
    await moveTo(page, 'stamps');
    await page.keyboard.press('Enter');
    await expect(page.locator('.tx-answer')).toContainText('VAT 0.95 set aside');
    await page.keyboard.press('Escape');
    webhook.stop();
  });

  await test.step('lose the network and return', async () => {
    await page.keyboard.press('n');
    await page.keyboard.type('3.30 coffee in the train cash restaurants');
    await context.setOffline(true);
    await expect(page.getByText('The connection is lost.')).toBeVisible();
    await page.keyboard.press('Enter');
    // The line comes back to the field.
    await expect(page.getByText('The server cannot be reached.').first()).toBeVisible();
    await expect(line(page)).toHaveValue('3.30 coffee in the train cash restaurants');
    await context.setOffline(false);
    await expect(page.getByRole('img', { name: /^Live/ })).toBeVisible({ timeout: 30_000 });
    await line(page).press('Enter');
    await expect(page.getByText('Recorded 3.30')).toBeVisible();
    expect(await find('coffee')).toHaveLength(1);
    await line(page).press('Escape');
    problems.splice(0, problems.length, ...problems.filter((problem) => !problem.includes('ERR_INTERNET_DISCONNECTED')));
  });

  await test.step('sign out', async () => {
    await page.getByRole('button', { name: /^You:/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL(/\/auth\/|\/$|\/books$/);
    await page.goto(`${daybook.url}/b/${bookId}/transactions`);
    await expect(page.getByRole('link', { name: 'Sign in' })).toBeVisible();
    await expect(page.getByText('lunch')).toHaveCount(0);
  });
  expect(problems).toEqual([]);
});
