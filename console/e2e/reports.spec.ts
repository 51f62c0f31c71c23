import { readFileSync } from 'node:fs';
import { download } from './lists';
import { expect, expectAccessible, test, type Daybook } from './support';
import type { Page } from '@playwright/test';

// Reports read whole books; a busy machine needs more than the default.
test.describe.configure({ timeout: 120_000 });

const year = new Date().getUTCFullYear();
const grid = (page: Page, name: string) => page.getByRole('treegrid', { name });
const open = (page: Page, daybook: Daybook, path: string) => page.goto(`${daybook.url}/b/${daybook.bookId}/reports${path}`);

test('[30] balance sheet and income statement show groups, totals and their proof', async ({ page, daybook, problems }) => {
  await open(page, daybook, '');
  await expectAccessible(page);
  await page.getByRole('navigation', { name: 'Reports' }).getByRole('link', { name: 'Balance sheet' }).click();
  const sheet = grid(page, 'Balance sheet');
  await expect(sheet.getByRole('row', { name: /Total assets/ })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`period=${year}$`));
  await expect(page.getByRole('group', { name: 'Proof' })).toContainText('Assets = liabilities + equity');
  await expect(page.getByText(/\d drafts left out/)).toBeVisible();
  await page.getByText('Details', { exact: true }).click();
  await expect(page.getByRole('group', { name: 'Proof' })).toContainText(/As of event \d+.*Hash [0-9a-f]{64}/);
  await expectAccessible(page);

  // A group closes into its total, and the URL remembers it.
  const banks = sheet.getByRole('row', { name: /Cash and banks/ }).first();
  await banks.getByRole('button', { name: 'Close the group' }).click();
  await expect(sheet.getByRole('row', { name: /^Checking/ })).toHaveCount(0);
  await expect(banks).toContainText(/\d/);
  await page.reload();
  await expect(sheet.getByRole('row', { name: /^Savings account/ })).toBeVisible();
  await expect(sheet.getByRole('row', { name: /^Checking/ })).toHaveCount(0);

  await page.keyboard.press('g');
  await page.keyboard.press('i');
  await expect(grid(page, 'Income statement').getByRole('row', { name: /Profit|Loss/ })).toBeVisible();
  await expect(page.getByText(/\d drafts? left out/)).toBeVisible();
  await expectAccessible(page);
  expect(problems).toEqual([]);
});

test('[9][5] period keys step a report, and each state is a link', async ({ page, daybook, problems }) => {
  await open(page, daybook, `/income-statement?period=${year}-06`);
  await expect(page.getByText('1 to 30 June')).toBeVisible();
  await page.keyboard.press(']');
  await expect(page).toHaveURL(/period=\d{4}-07$/);
  await expect(page.getByText('1 to 31 July')).toBeVisible();
  await page.keyboard.press('[');
  await page.getByLabel('Levels').selectOption('1');
  await page.getByLabel('Compare').selectOption('previous');
  await expect(page).toHaveURL(/depth=1/);
  await expect(grid(page, 'Income statement').getByRole('columnheader', { name: `May ${year}`, exact: true })).toBeVisible();
  await page.keyboard.press(']');
  await expect(grid(page, 'Income statement').getByRole('columnheader', { name: `June ${year}`, exact: true })).toBeVisible();
  await page.goBack();
  await expect(page.getByLabel('Levels')).toHaveValue('1');
  await page.getByRole('combobox', { name: 'Query' }).fill('#food');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Only #food')).toBeVisible();
  await page.getByRole('combobox', { name: 'Query' }).fill('lunch');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'The report cannot be shown' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Clear the query', exact: true }).last().click();
  await expect(grid(page, 'Income statement')).toBeVisible();
  expect(problems).toEqual([]);
});

test('[32] comparisons and columns by month, quarter and hashtags', async ({ page, daybook, problems }) => {
  await open(page, daybook, `/income-statement?period=${year}-Q3`);
  const table = grid(page, 'Income statement');
  await page.getByLabel('Compare').selectOption('year');
  for (const name of [`Q3 ${year}`, `Q3 ${year - 1}`, 'Difference', '%', 'Year to date']) {
    await expect(table.getByRole('columnheader', { name, exact: true })).toBeVisible();
  }
  await page.getByLabel('Columns').selectOption('month');
  await expect(table.getByRole('columnheader', { name: `August ${year}` })).toBeVisible();
  await expect(page.getByLabel('Compare')).toBeDisabled();
  await page.getByLabel('Columns').selectOption('#');
  await page.getByLabel('Hashtags of the columns').fill('food travel');
  await page.keyboard.press('Enter');
  await expect(table.getByRole('columnheader', { name: '#travel' })).toBeVisible();
  await expect(page).toHaveURL(/columns=%23food,%23travel/);
  await expectAccessible(page);
  expect(problems).toEqual([]);
});

test('[32] comparison with another book', async ({ page, daybook, problems }) => {
  const other = await daybook.call('POST', 'books', { name: 'Budget & plan' });
  await open(page, daybook, `/income-statement?period=${year}`);
  await page.getByLabel('Compare').selectOption({ label: 'Book Budget & plan' });
  await expect(page).toHaveURL(new RegExp(`compare=${other.id}`));
  await expect(grid(page, 'Income statement').getByRole('columnheader', { name: 'Budget & plan' })).toBeVisible();
  expect(problems).toEqual([]);
});

test('[33] each figure leads to its transactions', async ({ page, daybook, problems }) => {
  await open(page, daybook, `/income-statement?period=${year}&columns=quarter`);
  const rent = grid(page, 'Income statement').getByRole('row', { name: /^Rent/ });
  const figure = rent.getByRole('link').nth(1);
  const amount = await figure.textContent();
  await figure.click();
  await expect(page).toHaveURL(new RegExp(`accounts/\\d+\\?period=${year}-Q2`));
  await expect(page.getByRole('grid', { name: 'Register of Rent' })).toBeVisible();
  await expect(page.locator('.summary')).toContainText(amount!);
  await page.goBack();

  // By keyboard: the cursor row opens with Enter.
  await expect(rent).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('grid', { name: /^Register of/ })).toBeVisible();

  await open(page, daybook, `/cash-flow?period=${year}`);
  await grid(page, 'Cash flow').getByRole('row', { name: /^Groceries/ }).getByRole('link').first().click();
  await expect(page.getByRole('grid', { name: 'Transactions' }).getByRole('row').nth(1)).toBeVisible();
  expect(problems).toEqual([]);
});

test('[31] trial balance and general ledger', async ({ page, daybook, problems }) => {
  await open(page, daybook, `/trial-balance?period=${year}`);
  const trial = grid(page, 'Trial balance');
  await expect(trial.getByRole('columnheader', { name: 'Closing Credit' })).toBeVisible({ timeout: 40_000 });
  await expect(page.getByRole('group', { name: 'Proof' })).toContainText(/All \d+ checks agree/);
  await expectAccessible(page);

  await page.keyboard.press('g');
  await page.keyboard.press('l');
  const ledger = grid(page, 'General ledger');
  await expect(ledger.getByRole('row', { name: /Opening balance/ }).first()).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(ledger.getByRole('row').nth(1)).toHaveAttribute('aria-expanded', 'false');
  await expect(ledger.getByRole('row').nth(1)).toContainText(/Cash.*\d/);
  await page.keyboard.press('Enter');
  await expect(ledger.getByRole('row').nth(2)).toContainText('Opening balance');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('complementary', { name: 'Transaction' })).toContainText('Recorded by');
  await page.keyboard.press('Escape');
  await expectAccessible(page);

  expect(problems).toEqual([]);
});

test('[31] journal and changes', async ({ page, daybook, problems }) => {
  await open(page, daybook, `/trial-balance?period=${year}`);
  await page.getByRole('navigation', { name: 'Reports' }).getByRole('link', { name: 'Journal' }).click();
  await expect(grid(page, 'Journal').getByRole('row', { name: /Rent for the flat/ }).first()).toBeVisible();
  await expect(grid(page, 'Journal').getByRole('row', { name: /0cafc8/ })).toHaveCount(0);

  await page.getByRole('navigation', { name: 'Reports' }).getByRole('link', { name: 'Changes' }).click();
  await expect(grid(page, 'Changes').getByRole('row', { name: /Transaction posted/ }).first()).toBeVisible();
  await expect(page.getByRole('group', { name: 'Proof' })).toContainText('Events in the chain');
  await expectAccessible(page);
  expect(problems).toEqual([]);
});

test('[34] every report downloads as CSV and XLSX', async ({ page, daybook, problems }) => {
  for (const [name, format, start] of [['balance-sheet', 'XLSX', 'PK'], ['trial-balance', 'CSV', 'Report'], ['journal', 'CSV for Excel', '\ufeff']] as const) {
    await open(page, daybook, `/${name}?period=${year}-10`);
    await expect(page.getByRole('treegrid')).toBeVisible();
    await page.getByRole('button', { name: 'Download' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: new RegExp(`^${format}(?! for)`) }).click();
    const content = readFileSync(await (await download).path(), 'utf8');
    if (start !== 'Report') expect(content.startsWith(start)).toBe(true);
    expect(content.length).toBeGreaterThan(200);
  }
  // A server without such links: the page fetches the report and saves it.
  await page.route('**/reports/*/link?*', (route) => route.fulfill({ status: 404, json: { error: { code: 404, message: 'Not Found', errors: [{ reason: 'notFound' }] } } }));
  await page.getByRole('button', { name: 'Download' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: /^CSV(?! for)/ }).click();
  expect((await download).suggestedFilename()).toBe(`journal ${year}-10.csv`);
  expect(problems).toEqual([]);
});

test('[35] the page for print names book and period and opens without a token', async ({ page, daybook, browser, problems }) => {
  await open(page, daybook, `/balance-sheet?period=${year}-09`);
  await expect(page.getByRole('treegrid')).toBeVisible();
  const popup = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Print' }).click();
  const sheet = await popup;
  await sheet.waitForLoadState();
  await expect(sheet.locator('body')).toContainText('Household');
  await expect(sheet.locator('body')).toContainText('On 30 September');
  const stranger = await browser.newPage();
  await stranger.goto(sheet.url());
  await expect(stranger.locator('body')).toContainText('Balance sheet');
  expect((await stranger.pdf()).length).toBeGreaterThan(5000);
  await stranger.close();
  expect(problems).toEqual([]);
});

test('[36] balances as of any day', async ({ page, daybook, problems }) => {
  await open(page, daybook, `/balance-sheet?period=${year}`);
  await expect(page.getByRole('treegrid')).toBeVisible();
  await page.getByLabel('As of').fill('15/08');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`period=${year}-08-15`));
  await expect(page.getByText('On 15 August')).toBeVisible();
  await page.keyboard.press(']');
  await expect(page.getByText('On 16 August')).toBeVisible();
  expect(problems).toEqual([]);
});

test('[38] columns by month draw a chart', async ({ page, daybook, problems }) => {
  await open(page, daybook, `/balance-sheet?period=${year}&columns=month`);
  await expect(page.getByRole('img', { name: /Balance sheet: Assets, Liabilities, Net worth/ }).locator('canvas')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('navigation', { name: 'Reports' }).getByRole('link', { name: 'Income statement' }).click();
  await page.getByLabel('Columns').selectOption('month');
  await expect(page.getByRole('img', { name: /Income, Expenses, Result/ })).toBeVisible();
  expect(problems).toEqual([]);
});

test('[31] a period is closed, and changes since then are listed', async ({ page, daybook, problems }) => {
  const book = await daybook.call('POST', 'books', { name: 'Club', datePattern: 'dd/MM/yyyy', timeZone: 'UTC' });
  const at = `books/${book.id}`;
  await daybook.call('POST', `${at}/accounts/batch`, { items: [{ name: 'Bank', type: 'ASSET' }, { name: 'Fees', type: 'INCOMING' }] });
  const row = (date: string, description: string) => ({ date, description, amount: '10.00', creditAccount: { name: 'Fees' }, debitAccount: { name: 'Bank' } });
  await daybook.call('POST', `${at}/transactions`, row('2026-03-05', 'Before'));
  await page.goto(`${daybook.url}/b/${book.id}/reports`);
  await page.getByLabel('Closing day').fill('31/03/2026');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Close the period' });
  await expect(dialog).toContainText('Close the books up to 31/03/2026?');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  const closings = page.getByRole('table', { name: 'Earlier closings' });
  await expect(closings.getByRole('link', { name: '2026-03-31 Balance sheet.xlsx' })).toBeVisible();
  await expect(page.getByText('The books are closed up to 31/03/2026.')).toBeVisible();
  expect((await download(page, 'the closings')).text).toMatch(/\r\n2026-03-31,\d+,[^"]*,"[^"]*2026-03-31 Balance sheet\.xlsx/);
  await expectAccessible(page);

  await daybook.call('POST', `${at}/transactions`, row('2026-04-05', 'Afterwards'));
  await closings.getByRole('link', { name: 'Changes' }).click();
  await expect(page).toHaveURL(/reports\/changes\?after=\d+/);
  const changes = grid(page, 'Changes');
  await expect(changes.getByRole('row', { name: /Afterwards/ })).toBeVisible();
  await expect(changes.getByRole('row', { name: /Before$/ })).toHaveCount(0);
  expect(problems).toEqual([]);
});

test('reports work at 360 pixels and in the dark theme', async ({ page, daybook, problems }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 360, height: 740 });
  for (const path of ['', '/balance-sheet', '/trial-balance', `/general-ledger?period=${year}-10`]) {
    await open(page, daybook, path);
    await expect(page.locator('.report-cards, .report-body').first()).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    await expectAccessible(page);
  }
  expect(problems).toEqual([]);
});
