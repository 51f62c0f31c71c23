import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Daybook } from './support';

test.use({ suite: 'budget' });

const YEAR = new Date().getUTCFullYear();

/** A book with two years of figures. */
async function makeBook(daybook: Daybook) {
  const book = await daybook.call('POST', 'books', {
    name: 'Home', properties: { currency: 'EUR' }, timeZone: 'UTC', datePattern: 'dd/MM/yyyy', decimalSeparator: 'DOT', fractionDigits: 2,
    groups: [{ name: 'Living' }, { name: 'House', parent: { name: 'Living' } }],
    accounts: [
      { name: 'Bank', type: 'ASSET' }, { name: 'Salary', type: 'INCOMING' }, { name: 'Food', type: 'OUTGOING', groups: [{ name: 'Living' }] },
      { name: 'Power', type: 'OUTGOING', groups: [{ name: 'House' }] }, { name: 'Rent', type: 'OUTGOING', groups: [{ name: 'House' }] },
    ],
  });
  const row = (date: string, from: string, to: string, amount: string) => ({ date, amount, creditAccount: { name: from }, debitAccount: { name: to }, description: to });
  await daybook.call('POST', `books/${book.id}/transactions/batch`, {
    items: [
      row(`${YEAR - 1}-01-05`, 'Bank', 'Food', '210.00'), row(`${YEAR - 1}-02-05`, 'Bank', 'Food', '190.00'), row(`${YEAR - 1}-01-01`, 'Bank', 'Rent', '900.00'),
      row(`${YEAR}-01-05`, 'Bank', 'Food', '230.00'), row(`${YEAR}-01-01`, 'Bank', 'Rent', '900.00'), row(`${YEAR}-01-31`, 'Salary', 'Bank', '2000.00'),
    ],
  });
  return book.id as string;
}

const grid = (page: Page) => page.getByRole('treegrid', { name: 'Budget' });
const foot = (page: Page) => page.locator('.budget-foot');
const line = (page: Page, name: string) => grid(page).getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });
const cell = (page: Page, name: string, column: number) => line(page, name).getByRole('gridcell').nth(column);
const budgetOf = async (daybook: Daybook, bookId: string) => (await daybook.call('GET', 'books')).items.find((book: { properties: Record<string, string> }) => book.properties.budget_of === bookId);
const plan = async (daybook: Daybook, bookId: string): Promise<string[]> => {
  const { id } = await budgetOf(daybook, bookId);
  const { items } = await daybook.call('GET', `books/${id}/transactions?limit=100&query=${encodeURIComponent(`is:posted on:${YEAR}`)}`);
  return items.map((row: { date: string; amount: string; debitAccount: { name: string }; creditAccount: { name: string } }) => `${row.date} ${row.creditAccount.name} ${row.debitAccount.name} ${row.amount}`).sort();
};

async function create(page: Page, daybook: Daybook, bookId: string, fills: boolean) {
  await page.goto(`${daybook.url}/b/${bookId}/budget`);
  const form = page.getByRole('form', { name: 'New budget' });
  if (!fills) await form.getByLabel('Begin with last year').uncheck();
  await form.getByRole('button', { name: 'Create the budget' }).click();
  await expect(line(page, 'Food')).toBeVisible();
}

test('[32] a budget begins from the overview with the figures of last year', async ({ page, daybook, problems }) => {
  const bookId = await makeBook(daybook);
  await page.goto(`${daybook.url}/b/${bookId}`);
  await page.getByRole('link', { name: 'Create a budget' }).click();
  const form = page.getByRole('form', { name: 'New budget' });
  await expect(form.getByLabel("Name of the budget's book")).toHaveValue('Budget of Home');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Create the budget' }).click();
  await expect(page.getByText('Filled 3 cells from last year')).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`period=${YEAR}`));
  await expect(cell(page, 'Food', 0)).toHaveText(/^210\.00\s*actual !?230\.00$/);
  await expect(cell(page, 'Living', 0)).toContainText('1,110.00');
  await expect(cell(page, 'Result', 12)).toContainText('1,300.00'.replace('1,300', '−1,300'));
  await expectAccessible(page);
  await expect.poll(() => plan(daybook, bookId)).toEqual([`${YEAR}-01-01 Budget Food 210.00`, `${YEAR}-01-01 Budget Rent 900.00`, `${YEAR}-02-01 Budget Food 190.00`]);

  // The report compares the two books by the names of accounts.
  await page.getByRole('link', { name: 'Compare in the income statement' }).click();
  await expect(page.getByRole('treegrid', { name: 'Income statement' }).getByRole('row', { name: /^Food/ })).toContainText('400.00');
  await page.goto(`${daybook.url}/b/${bookId}/reports`);
  await page.getByRole('link', { name: 'Budget', exact: true }).last().click();
  await expect(line(page, 'Food')).toBeVisible();
  const { id } = await budgetOf(daybook, bookId);
  await page.goto(`${daybook.url}/b/${id}/budget`);
  await page.getByRole('link', { name: 'Budget of Home' }).click();
  await expect(line(page, 'Food')).toBeVisible();
  expect(problems).toEqual([]);
});

test('[14] [23] cells are edited by keyboard like a spreadsheet, and undone', async ({ page, daybook, problems }) => {
  const bookId = await makeBook(daybook);
  await create(page, daybook, bookId, false);
  await grid(page).focus();
  await page.keyboard.press('Control+Home');
  await expect(foot(page)).toContainText('Income');
  for (let step = 0; step < 20 && !(await foot(page).locator('strong').first().textContent())?.startsWith('Power'); step += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.type('40*2+');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert').filter({ hasText: 'Not an amount' })).toBeVisible();
  await page.keyboard.type('5');
  await expect(foot(page)).toContainText('= 85.00');
  await expectAccessible(page);
  await page.keyboard.press('Tab');
  await expect(cell(page, 'Power', 0)).toContainText('85.00');
  await page.keyboard.type('90');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.type('1');
  await page.keyboard.press('Escape');
  await expect(cell(page, 'Power', 2)).toHaveText('');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('F2');
  await page.keyboard.press('End');
  await page.keyboard.type('+5');
  await page.keyboard.press('Enter');
  await expect(cell(page, 'Power', 1)).toContainText('95.00');
  await expect(foot(page)).toContainText('Rent');
  await expect.poll(() => plan(daybook, bookId)).toEqual([`${YEAR}-01-01 Budget Power 85.00`, `${YEAR}-02-01 Budget Power 95.00`]);

  // A block takes one amount, and is cleared.
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  await expect(foot(page)).toContainText('3 cells selected');
  await page.keyboard.type('900');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText('Changed 3 cells')).toBeVisible();
  await expect(cell(page, 'Rent', 2)).toContainText('900.00');
  await expect(cell(page, 'House', 12)).toContainText('2,880.00');
  await expect.poll(async () => (await plan(daybook, bookId)).length).toBe(5);
  await page.keyboard.press('Delete');
  await expect(cell(page, 'Rent', 2)).toHaveText('');
  await expect.poll(async () => (await plan(daybook, bookId)).length).toBe(2);
  await page.keyboard.press('z');
  await expect.poll(async () => (await plan(daybook, bookId)).length).toBe(5);
  await expect(cell(page, 'Rent', 2)).toContainText('900.00');
  await page.keyboard.press('z');
  await page.keyboard.press('z');
  await expect.poll(() => plan(daybook, bookId)).toEqual([`${YEAR}-01-01 Budget Power 85.00`, `${YEAR}-02-01 Budget Power 90.00`]);
  await expect(cell(page, 'Power', 1)).toContainText('90.00');
  expect(problems).toEqual([]);
});

test('[14] a column is pasted over the accounts, and a block is copied', async ({ page, daybook, problems }) => {
  const bookId = await makeBook(daybook);
  await create(page, daybook, bookId, false);
  const paste = (text: string) => grid(page).evaluate((element, data) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', data);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
  await cell(page, 'Food', 3).click();
  await paste('100\nx1\n');
  await expect(page.getByText('"x1" in line 2 is not an amount. Nothing was pasted.')).toBeVisible();
  await paste('100\t110\n50.5\t\n€ 900\t900\n7\n');
  await expect(page.getByText('1 line did not fit below')).toBeVisible();
  await expect(cell(page, 'Food', 3)).toContainText('100.00');
  await expect(cell(page, 'Rent', 4)).toContainText('900.00');
  await expect.poll(async () => (await plan(daybook, bookId)).length).toBe(5);
  await page.keyboard.press('Shift+ArrowRight');
  const copied = await grid(page).evaluate((element) => {
    const clipboardData = new DataTransfer();
    element.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }));
    return clipboardData.getData('text/plain');
  });
  expect(copied).toBe('100.00\t110.00');
  expect(problems).toEqual([]);
});

test('[39] changes of others appear in the budget and beside it', async ({ page, daybook, problems }) => {
  const bookId = await makeBook(daybook);
  await create(page, daybook, bookId, false);
  await cell(page, 'Food', 1).dblclick();
  await page.keyboard.type('50');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await plan(daybook, bookId)).length).toBe(1);
  const { id } = await budgetOf(daybook, bookId);
  const [row] = (await daybook.call('GET', `books/${id}/transactions`)).items;
  await daybook.call('PUT', `books/${id}/transactions`, { id: row.id, amount: '77.00' });
  await expect(cell(page, 'Food', 1)).toContainText('77.00');
  await daybook.call('POST', `books/${bookId}/transactions`, { date: `${YEAR}-02-03`, amount: '80.00', creditAccount: { name: 'Bank' }, debitAccount: { name: 'Food' }, description: 'x' });
  await expect(cell(page, 'Food', 1)).toContainText('80.00');
  await expect(cell(page, 'Food', 1).getByRole('img', { name: 'worse than planned' })).toBeVisible();

  // An account that is made later joins the budget with its first amount.
  await daybook.call('POST', `books/${bookId}/accounts`, { name: 'Gifts', type: 'OUTGOING' });
  await cell(page, 'Gifts', 0).dblclick();
  await page.keyboard.type('25');
  await page.keyboard.press('Enter');
  await expect.poll(() => plan(daybook, bookId)).toContain(`${YEAR}-01-01 Budget Gifts 25.00`);

  // Behind a figure are its transactions.
  await cell(page, 'Food', 0).click();
  await page.keyboard.press('Shift+Enter');
  await expect(page).toHaveURL(new RegExp(`accounts/.*period=${YEAR}-01`));
  expect(problems).toEqual([]);
});

test('[48] one month of the budget fits 360 pixels', async ({ page, daybook, problems }) => {
  const bookId = await makeBook(daybook);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${daybook.url}/b/${bookId}/budget?period=${YEAR}-01`);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create the budget' }).click();
  await expect(cell(page, 'Food', 0)).toHaveText('210.00');
  await expect(cell(page, 'Food', 2)).toHaveText('−20.00');
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
  await expectAccessible(page);
  expect(problems).toEqual([]);
});
