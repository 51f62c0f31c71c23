import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './support';

test.use({ suite: 'entry' });
test.setTimeout(100_000);

const today = new Date().toISOString().slice(0, 10);
const input = (page: Page) => page.getByRole('combobox', { name: 'New transaction' });
const reading = (page: Page) => page.getByRole('group', { name: 'Reading of the line' });

async function openList(page: Page, url: string) {
  await page.goto(url);
  await expect(page.getByRole('grid').getByRole('row').nth(2)).toBeVisible();
}

test.beforeEach(async ({ page, daybook }) => {
  await openList(page, `${daybook.url}/b/${daybook.bookId}/transactions`);
});

const find = async (daybook: { call: (method: string, path: string) => Promise<{ items: Record<string, any>[] }>; bookId: string }, query: string) =>
  (await daybook.call('GET', `books/${daybook.bookId}/transactions?query=${encodeURIComponent(query)}`)).items;

test('[10] a typed line shows how the server reads it, and [12] Enter saves and begins the next', { tag: '@short' }, async ({ page, daybook, problems }) => {
  await page.keyboard.press('n');
  await expect(page).toHaveURL(/entry=line/);
  await expect(input(page)).toBeFocused();
  await page.keyboard.type('12.50 quick lunch cash groceries #canteen yesterday');
  await expect(reading(page)).toContainText('Cash');
  await expect(reading(page)).toContainText('Groceries');
  await expect(reading(page)).toContainText('12.50 EUR');
  await expect(reading(page)).toContainText('Expense, paid from Cash');
  await expect(reading(page)).toContainText('quick lunch #canteen');
  await expect(page.locator('.entry-overlay .token-amount')).toHaveText('12.50');
  await expect(page.locator('.entry-overlay .token-creditAccount')).toHaveText('cash');
  await expect(page.locator('.entry-overlay .token-debitAccount')).toHaveText('groceries');
  await expect(page.locator('.entry-overlay .token-date')).toHaveText('yesterday');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Recorded 12.50')).toBeVisible();
  await expect(input(page)).toBeFocused();
  await expect(input(page)).toHaveValue('');
  await expect(page.getByRole('row', { name: /quick lunch/ })).toBeVisible();
  const [first] = await find(daybook, "'quick lunch'");
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  expect(first).toMatchObject({ amount: '12.50', posted: true, date: yesterday, description: 'quick lunch #canteen' });

  await page.keyboard.type('3.20 second snack cash groceries');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('row', { name: /second snack/ })).toBeVisible();
  expect((await find(daybook, "'second snack'"))[0]).toMatchObject({ amount: '3.20', date: today, posted: true });
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect(page.getByRole('row', { name: /second snack/ })).toHaveCount(0);
  await input(page).focus();
  await page.keyboard.press('Escape');
  await expect(input(page)).toHaveCount(0);
  expect(problems).toEqual([]);
});

test('[10] a line against the usual direction is marked and swapped by one key; duplicates and gaps are shown', async ({ page, daybook, problems }) => {
  await page.keyboard.press('n');
  await page.keyboard.type('8.40 bakery visit groceries cash');
  await expect(reading(page)).toContainText('The money leaves an expense account.');
  await expectAccessible(page);
  await page.keyboard.press('Alt+s');
  await expect(input(page)).toHaveValue('8.40 bakery visit cash groceries');
  await expect(reading(page)).toContainText('Expense, paid from Cash');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Recorded 8.40')).toBeVisible();

  await page.keyboard.type('8.40 bakery again cash groceries');
  await expect(reading(page)).toContainText('Probably recorded already');
  await expectAccessible(page);
  await reading(page).getByRole('link', { name: 'bakery visit' }).click();
  await expect(page.getByRole('complementary', { name: 'Transaction' })).toContainText('bakery visit');
  await input(page).focus();
  await input(page).fill('8.40 cash mystery shop');
  await expect(reading(page)).toContainText('Becomes a draft: To is missing.');
  await expect(input(page)).toHaveValue('8.40 cash mystery shop');
  await page.reload();
  await expect(input(page)).toHaveValue('8.40 cash mystery shop');
  await input(page).press('Enter');
  await expect(page.getByText('as a draft')).toBeVisible();
  expect((await find(daybook, "is:draft 'mystery shop'"))[0]).toMatchObject({ amount: '8.40', date: today });
  expect(problems).toEqual([]);
});

test('[10] a line with 3x shows the drafts that it will record', async ({ page, daybook, problems }) => {
  await page.keyboard.press('n');
  await page.keyboard.type('50 music lessons 3x cash books & music');
  await expect(reading(page)).toContainText('3 drafts up to');
  await expect(page.locator('.entry-overlay .token-repeats')).toHaveText('3x');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Recorded 50.00')).toBeVisible();
  expect(await find(daybook, "'music lessons'")).toHaveLength(4);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect.poll(async () => (await find(daybook, "'music lessons'")).length).toBe(0);
  expect(problems).toEqual([]);
});

test('[13] accounts and hashtags are completed by any part, accents ignored, and a missing account is created', async ({ page, daybook, problems }) => {
  await page.keyboard.press('n');
  await page.keyboard.type('9 soup cas');
  await expect(page.locator('.entry-ghost')).toHaveText('h');
  await page.keyboard.press('Tab');
  await expect(input(page)).toHaveValue('9 soup Cash ');
  await page.keyboard.type('restau');
  await expect(page.locator('.entry-ghost')).toContainText('Café and restaurants');
  await expectAccessible(page);
  await page.keyboard.press('Tab');
  await page.keyboard.type('#canteen #trav');
  await page.keyboard.press('Tab');
  await expect(input(page)).toHaveValue('9 soup Cash Café and restaurants #canteen #travel ');
  await expect(reading(page)).toContainText('Expense, paid from Cash');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Recorded 9.00')).toBeVisible();

  await page.keyboard.type('15 cash Garden centre');
  await reading(page).getByRole('button', { name: 'New account' }).click();
  const form = page.getByRole('form', { name: 'New account' });
  await expect(form.getByLabel('Name of the new account')).toHaveValue('Garden centre');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(input(page)).toBeFocused();
  await expect(reading(page)).toContainText('Expense, paid from Cash');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Recorded 15.00')).toBeVisible();
  const [row] = await find(daybook, "account:'Garden centre'");
  expect(row).toMatchObject({ amount: '15.00', posted: true });
  expect(problems).toEqual([]);
});

test('[12] [14] [15] the form computes amounts, reads relative dates and records the next one', async ({ page, daybook, problems }) => {
  await page.keyboard.press('Shift+N');
  const form = page.getByRole('form', { name: 'Form' });
  await expect(form.getByLabel('From')).toBeFocused();
  await page.keyboard.type('chec');
  await page.keyboard.press('Tab');
  await page.keyboard.type('fue');
  await page.keyboard.press('Tab');
  await page.keyboard.type('12.50*3+4');
  await expect(form).toContainText('= 41.50');
  await form.getByLabel('Date').fill('-3');
  await form.getByLabel('Description').fill('form petrol');
  await form.getByLabel('Hashtags').fill('car');
  await form.getByRole('button', { name: 'Property' }).click();
  await form.getByLabel('Name of property 1').fill('pump');
  await form.getByLabel('Value of property 1').fill('7');
  await expect(page.getByText('Expense, paid from Checking')).toBeVisible();
  await expectAccessible(page);
  await form.getByLabel('Description').press('Enter');
  await expect(page.getByText('Recorded 41.50')).toBeVisible();
  await expect(form.getByLabel('From')).toBeFocused();
  await expect(form.getByLabel('Description')).toHaveValue('');
  const date = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
  expect((await find(daybook, "'form petrol'"))[0]).toMatchObject({ date, amount: '41.50', description: 'form petrol #car', properties: { pump: '7' } });
  expect(problems).toEqual([]);
});

test('[12] a split shows its remainder and records all legs with one entry_id', async ({ page, daybook, problems }) => {
  await page.keyboard.press('Shift+N');
  const form = page.getByRole('form', { name: 'Form' });
  await form.getByLabel('From').fill('checking');
  await page.keyboard.press('Tab');
  await form.getByLabel('Amount').fill('100');
  await form.getByLabel('Description').fill('split shopping');
  await page.keyboard.press('Alt+p');
  await form.getByLabel('To of leg 1').fill('groc');
  await page.keyboard.press('Tab');
  await form.getByLabel('Amount of leg 1').fill('33.33');
  await expect(form.getByText('Remainder 66.67')).toBeVisible();
  await form.getByLabel('To of leg 2').fill('cloth');
  await page.keyboard.press('Tab');
  await form.getByLabel('Amount of leg 2').fill('70');
  await expect(form.getByText('Too much −3.33')).toBeVisible();
  await form.getByLabel('Amount of leg 2').press('Enter');
  await expect(page.getByText('The legs do not add up')).toBeVisible();
  await expectAccessible(page);
  await form.getByLabel('Amount of leg 2').fill('');
  await form.getByLabel('Amount of leg 2').press('Enter');
  await expect(page.getByText('Recorded 2 transactions')).toBeVisible();
  const rows = await find(daybook, "'split shopping'");
  expect(rows.map(({ amount }) => amount).sort()).toEqual(['33.33', '66.67']);
  expect(rows[0]!.properties.entry_id).toMatch(/^\w{16,}$/);
  expect(rows[1]!.properties.entry_id).toBe(rows[0]!.properties.entry_id);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect.poll(async () => (await find(daybook, "'split shopping'")).length).toBe(0);
  expect(problems).toEqual([]);
});

test('[48] a phone records a line by touch alone', async ({ page, daybook, problems }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole('button', { name: 'New transaction' }).click();
  await expect(input(page)).toBeFocused();
  await input(page).fill('6.60 phone cake cash groc');
  await page.getByRole('option', { name: 'Groceries' }).click();
  await expect(reading(page)).toContainText('Expense, paid from Cash');
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(overflow).toBe(0);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Record', exact: true }).click();
  await expect(page.getByText('Recorded 6.60')).toBeVisible();
  await page.getByRole('button', { name: 'Form' }).click();
  await expect(page.getByRole('form', { name: 'Form' })).toBeVisible();
  await page.getByRole('button', { name: 'Split' }).click();
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
  await expectAccessible(page);
  expect((await find(daybook, "'phone cake'"))[0]).toMatchObject({ amount: '6.60', posted: true });
  expect(problems).toEqual([]);
});

test('[10] a server without preview records all the same, and a line that fails is kept', async ({ page, daybook }) => {
  await page.route('**/transactions/preview', (route) => route.fulfill({ status: 405, json: { error: { code: 405, message: 'no', errors: [{ reason: 'methodNotAllowed' }] } } }));
  await page.keyboard.press('n');
  await page.keyboard.type('7.70 blind tea cash groceries');
  await expect(reading(page)).toContainText('This server shows no preview');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Recorded 7.70')).toBeVisible();
  expect((await find(daybook, "'blind tea'"))[0]).toMatchObject({ amount: '7.70', date: today, posted: true });

  await page.route('**/transactions', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()));
  await page.keyboard.type('1.10 lost tea cash groceries');
  await page.keyboard.press('Enter');
  await page.keyboard.type('2.20 next');
  await expect(page.getByText('The server cannot be reached.').first()).toBeVisible({ timeout: 15_000 });
  await expect(input(page)).toHaveValue('2.20 next');
  await expect(page.getByRole('list', { name: 'Not recorded' })).toContainText('1.10 lost tea cash groceries');
  await page.unroute('**/transactions');
  await page.getByRole('list', { name: 'Not recorded' }).getByRole('button', { name: 'Edit' }).click();
  await expect(input(page)).toHaveValue('1.10 lost tea cash groceries');
  await input(page).press('Enter');
  await expect(page.getByText('Recorded 1.10')).toBeVisible();
});

async function openTransfer(page: Page) {
  await page.keyboard.press('Control+k');
  await page.keyboard.type('transfer to');
  await page.keyboard.press('Enter');
}

test('[12] a transfer whose second half has no answer is finished without recording it twice', async ({ page, daybook }) => {
  const other = await daybook.call('POST', 'books', { name: 'Lost', properties: { currency: 'EUR' } });
  await daybook.call('POST', `books/${other.id}/accounts/batch`, { items: [{ name: 'Their bank', type: 'ASSET' }, { name: 'Household book', type: 'ASSET' }] });
  const halves = async () => (await daybook.call('GET', `books/${other.id}/transactions`)).items;
  await openTransfer(page);
  const form = page.getByRole('form', { name: 'Transfer to another book' });
  await form.getByLabel('Other book').selectOption('Lost');
  await form.getByLabel('Description').fill('lost answer');
  const [here, there] = [form.getByRole('group', { name: 'In Household' }), form.getByRole('group', { name: 'In Lost' })];
  for (const [group, label, text] of [[here, 'From', 'checking'], [here, 'To', 'savings'], [there, 'From', 'household'], [there, 'To', 'their bank']] as const) {
    await group.getByRole('combobox', { name: label }).fill(text);
    await page.keyboard.press('Tab');
  }
  await here.getByLabel('Amount in EUR').fill('40');
  const answers = new RegExp(`/books/${other.id}/transactions$`);
  await page.route(answers, async (route) => {
    await route.fetch();
    await route.abort();
  });
  await form.getByRole('button', { name: 'Transfer' }).click();
  const unfinished = page.getByRole('group', { name: 'Unfinished transfer' });
  await expect(unfinished).toContainText('its half in this book is recorded', { timeout: 30_000 });
  await expectAccessible(page);
  await page.unroute(answers);
  await page.reload();
  await unfinished.getByRole('button', { name: 'Finish the transfer' }).click();
  await expect(page.getByText(/^Transferred to/)).toBeVisible();
  expect(await halves()).toMatchObject([{ amount: '40.00' }]);
  expect(await find(daybook, "'lost answer'")).toHaveLength(1);
});

test('[12] a transfer to another book records a half in each, and both are undone', async ({ page, daybook, problems }) => {
  const other = await daybook.call('POST', 'books', { name: 'Abroad', properties: { currency: 'USD' } });
  await daybook.call('POST', `books/${other.id}/accounts/batch`, { items: [{ name: 'US bank', type: 'ASSET' }, { name: 'Household book', type: 'ASSET' }] });
  await openTransfer(page);
  const form = page.getByRole('form', { name: 'Transfer to another book' });
  await form.getByLabel('Other book').selectOption('Abroad');
  const [here, there] = [form.getByRole('group', { name: 'In Household' }), form.getByRole('group', { name: 'In Abroad' })];
  await form.getByLabel('Description').fill('move abroad');
  for (const [group, label, text] of [[here, 'From', 'checking'], [here, 'To', 'savings'], [there, 'From', 'household'], [there, 'To', 'us bank']] as const) {
    await group.getByRole('combobox', { name: label }).fill(text);
    await page.keyboard.press('Tab');
  }
  await here.getByLabel('Amount in EUR').fill('100');
  // The entry keeps the typed text when it is closed.
  await page.keyboard.press('Escape');
  await openTransfer(page);
  await expect(here.getByRole('combobox', { name: 'To' })).toHaveValue(/^Savings/);
  await there.getByLabel('Amount in USD').fill('108.5');
  await expect(form).toContainText('Rate 1.085');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Transfer' }).click();
  await expect(page.getByText('Transferred to Abroad')).toBeVisible();
  const [first] = await find(daybook, "'move abroad'");
  const second = (await daybook.call('GET', `books/${other.id}/transactions`)).items[0];
  expect(first).toMatchObject({ amount: '100.00', posted: true, properties: { rate: '1.085' } });
  expect(second).toMatchObject({ amount: '108.50', posted: true, properties: { rate: '1.085', entry_id: first!.properties.entry_id } });
  await expect(form.getByRole('link', { name: 'Open the half in the other book' })).toHaveAttribute('href', new RegExp(`/b/${other.id}/transactions\\?q=entry_id`));
  const tab = await page.context().newPage();
  await tab.goto(`${daybook.url}/b/${daybook.bookId}/transactions?panel=transaction:${first!.id}`);
  await expect(tab.getByRole('link', { name: 'in Abroad' })).toHaveAttribute('href', new RegExp(`/b/${other.id}/transactions`));
  await tab.close();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect.poll(async () => (await find(daybook, "'move abroad'")).length).toBe(0);
  await expect.poll(async () => (await daybook.call('GET', `books/${other.id}/transactions`)).items.length).toBe(0);
  expect(problems).toEqual([]);
});
