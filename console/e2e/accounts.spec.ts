import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Daybook } from './support';

/** A small book for each test. */
async function makeBook(daybook: Daybook): Promise<string> {
  const { id } = await daybook.call('POST', 'books', {
    name: 'Chart', properties: { currency: 'EUR' }, timeZone: 'UTC',
    groups: [{ name: 'Assets' }, { name: 'Banks', parent: { name: 'Assets' } }, { name: 'Spending' }],
    accounts: [
      { name: 'Cash', type: 'ASSET', groups: [{ name: 'Assets' }] }, { name: 'Giro', type: 'ASSET', groups: [{ name: 'Banks' }] },
      { name: 'Food', type: 'OUTGOING', groups: [{ name: 'Spending' }] }, { name: 'Rent', type: 'OUTGOING', groups: [{ name: 'Spending' }] },
    ],
  });
  return id;
}

const record = (daybook: Daybook, bookId: string, date: string, amount: string) =>
  daybook.call('POST', `books/${bookId}/transactions`, { date, amount, creditAccount: { name: 'Cash' }, debitAccount: { name: 'Food' }, description: 'Lunch' });

const grid = (page: Page) => page.getByRole('grid', { name: 'Accounts and groups' });

async function open(page: Page, daybook: Daybook, bookId: string): Promise<void> {
  await page.goto(`${daybook.url}/b/${bookId}/accounts`);
  await expect(grid(page).getByRole('row', { name: /Giro/ })).toBeVisible();
}

test('[1] a new account takes an opening balance, and the sidebar shows it', async ({ page, daybook, problems }) => {
  const bookId = await makeBook(daybook);
  await open(page, daybook, bookId);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'New account' }).click();
  const form = page.getByRole('form', { name: 'New account' });
  await form.getByLabel('Name').fill('Car loan');
  await form.getByLabel('Type').selectOption('LIABILITY');
  await form.getByLabel('Opening balance, what you owe').fill('1200');
  await form.getByLabel('On', { exact: true }).fill('01/01/2026');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText('Recorded the opening balance')).toBeVisible();
  await expect(page.getByRole('treeitem', { name: /^Car loan/ })).toContainText('1,200.00');
  const { items } = await daybook.call('GET', `books/${bookId}/transactions?query=${encodeURIComponent("account:'Car loan'")}`);
  expect(items[0]).toMatchObject({ amount: '1200.00', date: '2026-01-01', posted: true, description: 'Opening balances' });
  const accounts = (await daybook.call('GET', `books/${bookId}/accounts`)).items;
  const named = (name: string) => accounts.find((account: { name: string }) => account.name === name);
  expect(items[0].creditAccount.id).toBe(named('Car loan').id);
  expect(items[0].debitAccount.id).toBe(named('Opening balances').id);
  expect(named('Opening balances').type).toBe('LIABILITY');
  expect(problems).toEqual([]);
});

test('an account is renamed, limited, moved and archived in its panel, and each is undone', async ({ page, daybook, problems }) => {
  const bookId = await makeBook(daybook);
  await open(page, daybook, bookId);
  await grid(page).getByRole('row', { name: /Giro/ }).click();
  const form = page.getByRole('form', { name: 'Account' });
  await form.getByLabel('Name', { exact: true }).fill('Giro account');
  await form.getByLabel('Groups').selectOption({ label: 'Spending' });
  await form.getByRole('button', { name: 'Take out of Banks' }).click();
  await form.getByLabel('Never below').fill('-500');
  await form.getByLabel('Archived').check();
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved Giro account')).toBeVisible();
  const find = async () => (await daybook.call('GET', `books/${bookId}/accounts`)).items.find(({ name }: { name: string }) => name.startsWith('Giro'));
  expect(await find()).toMatchObject({ name: 'Giro account', archived: true, minBalance: '-500.00', groups: [{ name: 'Spending' }] });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(find).toMatchObject({ name: 'Giro', archived: false, groups: [{ name: 'Banks' }] });
  expect((await find()).minBalance).toBeUndefined();
  expect(problems).toEqual([]);
});

test('many accounts change at once, by keyboard, and the reason of a refused delete is shown', async ({ page, daybook, problems }) => {
  const bookId = await makeBook(daybook);
  await record(daybook, bookId, '2026-02-01', '10');
  await open(page, daybook, bookId);
  const accountNamed = async (name: string) => (await daybook.call('GET', `books/${bookId}/accounts`)).items.find((account: { name: string }) => account.name === name);
  await grid(page).focus();
  const rows = (await grid(page).locator('.list-row .chart-name bdi').allTextContents());
  for (let row = 0; row < rows.length; row += 1) {
    await page.keyboard.press('j');
    if (rows[row] === 'Food' || rows[row] === 'Rent') await page.keyboard.press('x');
  }
  const bar = page.getByRole('region', { name: 'Selection' });
  await expect(bar).toContainText('2 accounts');
  await expectAccessible(page);
  await bar.getByLabel('Move to').selectOption({ label: '\u2003Banks' });
  await expect.poll(async () => (await accountNamed('Rent')).groups[0].name).toBe('Banks');
  await page.keyboard.press('z');
  await expect.poll(async () => (await accountNamed('Rent')).groups[0].name).toBe('Spending');

  await grid(page).focus();
  await page.keyboard.press('Control+a');
  await bar.getByRole('button', { name: /Delete/ }).click();
  await expect(page.getByText(/has posted transactions and cannot be deleted/)).toBeVisible();
  await bar.getByLabel('Change type').selectOption('LIABILITY');
  await expect.poll(async () => (await accountNamed('Giro')).type).toBe('LIABILITY');
  expect(problems).toEqual([]);
});

test('a group is created below another, counts as equity, is hidden and deleted', async ({ page, daybook, problems }) => {
  const bookId = await makeBook(daybook);
  await open(page, daybook, bookId);
  await page.getByRole('button', { name: 'New group' }).click();
  const form = page.getByRole('form', { name: 'Group' });
  await form.getByLabel('Name', { exact: true }).fill('Own funds');
  await form.getByLabel('Below').selectOption({ label: 'Assets' });
  await form.getByLabel('In reports').selectOption('equity');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Create group' }).click();
  await grid(page).getByRole('row', { name: /Own funds/ }).click();
  await form.getByLabel('Hidden').check();
  await form.getByLabel('Below').selectOption({ label: 'At the top' });
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved the group Own funds')).toBeVisible();
  const find = async () => (await daybook.call('GET', `books/${bookId}/groups`)).items.find(({ name }: { name: string }) => name === 'Own funds');
  expect(await find()).toMatchObject({ hidden: true, properties: { report: 'equity' } });
  expect((await find()).parent).toBeUndefined();
  await page.getByRole('button', { name: 'Delete group' }).click();
  await expect.poll(find).toBeUndefined();
  await page.keyboard.press('z');
  await expect.poll(async () => (await find())?.properties.report).toBe('equity');
  expect(problems).toEqual([]);
});

test('[46] an opening balance on a locked day is refused, not kept as a draft', async ({ page, daybook }) => {
  const bookId = await makeBook(daybook);
  await daybook.call('PUT', 'books', { id: bookId, lockDate: '2026-01-31' });
  const rows = async () => (await daybook.call('GET', `books/${bookId}/transactions`)).items;
  await page.goto(`${daybook.url}/b/${bookId}/opening-balances`);
  await page.getByLabel('On', { exact: true }).fill('31/01/2026');
  await page.getByLabel('Opening balance of Cash').fill('25');
  await page.getByRole('button', { name: 'Record 1 opening balance' }).click();
  await expect(page.getByText('Choose a later day')).toBeVisible();
  expect(await rows()).toEqual([]);
  await page.getByLabel('On', { exact: true }).fill('01/02/2026');
  await page.getByRole('button', { name: 'Record 1 opening balance' }).click();
  await expect.poll(async () => (await rows())[0]).toMatchObject({ amount: '25.00', posted: true });
});

test('[36] balances are shown as of any day', async ({ page, daybook, problems }) => {
  const bookId = await makeBook(daybook);
  await record(daybook, bookId, '2026-02-01', '10');
  await record(daybook, bookId, '2026-03-10', '5');
  await open(page, daybook, bookId);
  const cash = grid(page).getByRole('row', { name: /Cash/ });
  await expect(cash).toContainText('−15.00');
  await page.getByLabel('Balances on').fill('09/03/2026');
  await expect(cash).toContainText('−10.00');
  await expect(page).toHaveURL(/on=2026-03-09/);
  await page.getByLabel('Balances on').fill('31/01/2026');
  await expect(cash).toContainText('0.00');
  expect(problems).toEqual([]);
});

test('[51] each account shows the day up to which it is reconciled', async ({ page, daybook, problems }) => {
  const bookId = await makeBook(daybook);
  await daybook.call('POST', `books/${bookId}/reconciliations`, { account: { name: 'Giro' }, date: '2026-02-28', closingBalance: '0' });
  await daybook.call('POST', `books/${bookId}/reconciliations`, { account: { name: 'Giro' }, date: '2026-03-31', closingBalance: '7' });
  await open(page, daybook, bookId);
  await expect(grid(page).getByRole('row', { name: /Giro/ })).toContainText('28/02/2026');
  await page.getByRole('treeitem', { name: /^Giro/ }).click();
  await expect(page.locator('.summary')).toContainText('Reconciled to28/02/2026');
  expect(problems).toEqual([]);
});

test('opening balances of many accounts are recorded at once', async ({ page, daybook, problems }) => {
  const bookId = await makeBook(daybook);
  await page.goto(`${daybook.url}/b/${bookId}/opening-balances`);
  await page.getByLabel('On', { exact: true }).fill('01/01/2026');
  await page.getByLabel('Opening balance of Cash').fill('20+5');
  await page.getByLabel('Opening balance of Giro').fill('-40');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Record 2 opening balances' }).click();
  await expect(page.getByRole('treeitem', { name: /^Cash/ })).toContainText('25.00');
  await expect(page.getByRole('treeitem', { name: /^Giro/ })).toContainText('−40.00');
  expect(problems).toEqual([]);
});

test('[48] the accounts and a panel fit 360 pixels', async ({ page, daybook, problems }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, daybook, await makeBook(daybook));
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'New account' }).click();
  await expect(page.getByRole('form', { name: 'New account' })).toBeVisible();
  await expectAccessible(page);
  expect(problems).toEqual([]);
});

test('[2] [38] a register shows a chart of its balance, and stays so', async ({ page, daybook, problems }) => {
  const bookId = await makeBook(daybook);
  for (const month of ['01', '02', '03']) await record(daybook, bookId, `2026-${month}-05`, '10.50');
  const { items } = await daybook.call('GET', `books/${bookId}/accounts`);
  const register = (name: string) => `${daybook.url}/b/${bookId}/accounts/${items.find((account: { name: string }) => account.name === name).id}`;
  const chart = page.getByRole('img', { name: 'Balance by month; the register below has the figures' });
  const button = page.getByRole('button', { name: 'Chart', exact: true });
  await page.goto(register('Cash'));
  await expect(page.getByRole('grid', { name: 'Register of Cash' })).toContainText('Lunch');
  await expect(chart).toHaveCount(0);
  await button.click();
  await expect(chart.locator('canvas')).toBeVisible();
  await expectAccessible(page);
  await page.goto(`${register('Cash')}?period=2026-02`);
  await expect(page.getByRole('img', { name: 'Balance by day; the register below has the figures' }).locator('canvas')).toBeVisible();
  await page.goto(register('Food'));
  await expect(page.getByRole('img', { name: 'Movement by month; the register below has the figures' }).locator('canvas')).toBeVisible();
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
  await button.click();
  await expect(page.getByRole('img', { name: /the register below/ })).toHaveCount(0);
  expect(problems).toEqual([]);
});
