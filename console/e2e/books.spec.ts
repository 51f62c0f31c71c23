import { expect, expectAccessible, test, settled } from './support';

test('[47] an empty installation teaches, and a book starts from a starter chart', async ({ page, daybook, problems }) => {
  test.slow(); // axe runs four times
  await daybook.signIn(page, 'new@example.com');
  await page.goto(`${daybook.url}/books`);
  await expect(page.getByRole('heading', { name: 'Create your first book' })).toBeVisible();
  const charts = page.getByRole('group', { name: 'Starter charts' });
  await expect(charts.getByRole('button')).toHaveCount(4);
  await expectAccessible(page);
  await charts.getByRole('button', { name: /^Household/ }).click();

  await expect(page).toHaveURL(/template=Household/);
  await expect(charts.getByRole('button', { name: /^Household/ })).toHaveAttribute('aria-pressed', 'true');
  await page.getByRole('button', { name: 'Create book' }).click();
  await expect(page.getByText('Give it a name')).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('Name', { exact: true }).fill('Our money');
  await page.getByLabel('Currency').fill('CHF');
  await page.getByLabel('Dates').selectOption('yyyy/MM/dd');
  await page.getByLabel('Time zone').selectOption('Europe/Zurich');
  await page.getByRole('button', { name: 'Create book' }).click();
  await expect(page.getByRole('heading', { name: 'Our money is ready' })).toBeVisible();
  await expect(page.getByRole('treeitem', { name: /^Checking account/ })).toBeVisible();
  await expect(page.getByText('CHF')).toBeVisible();
  await expectAccessible(page);
  expect(problems).toEqual([]);
});

test('an empty book offers the starter charts, and undo takes the accounts away', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/books/new`);
  await page.getByLabel('Name', { exact: true }).fill('Empty one');
  await page.getByLabel('Name', { exact: true }).press('Enter');
  await expect(page.getByRole('heading', { name: 'Choose your accounts' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: /^Freelancer/ }).click();
  await expect(page.getByRole('heading', { name: 'Empty one is ready' })).toBeVisible();
  await page.keyboard.press('z');
  await expect(page.getByRole('heading', { name: 'Choose your accounts' })).toBeVisible();
  expect(problems).toEqual([]);
});

test('[46] settings set lock and closing date, which the overview shows', async ({ page, daybook, problems }) => {
  const book = await daybook.call('POST', 'books', { name: 'Locked', properties: { currency: 'EUR', cost_centre: '7' }, accounts: [{ name: 'Cash' }] });
  await page.goto(`${daybook.url}/b/${book.id}/settings`);
  const form = page.getByRole('form', { name: 'Settings of the book' });
  await form.getByLabel('Locked up to').fill('31/01/2026');
  await form.getByLabel('Closed up to').fill('31/12/2025');
  await form.getByLabel('Fiscal year begins in').selectOption('APRIL');
  await form.getByLabel('Decimals').selectOption('0');
  await form.getByLabel('Value of property cost_centre').fill('8');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Save settings' }).click();
  await expect(page.getByText('Saved the settings')).toBeVisible();
  const saved = await daybook.call('GET', `books/${book.id}`);
  expect(saved).toMatchObject({ lockDate: '2026-01-31', closingDate: '2025-12-31', periodStartMonth: 'APRIL', fractionDigits: 0, properties: { currency: 'EUR', cost_centre: '8' } });
  await page.getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByText('Locked up to 31/01/2026')).toBeVisible();
  await page.keyboard.press('z');
  await expect(page.getByText('Locked up to')).toHaveCount(0);
  expect(problems).toEqual([]);
});

test('settings that someone else changed are shown beside the edit', async ({ page, daybook, problems }) => {
  const book = await daybook.call('POST', 'books', { name: 'Shared', timeZone: 'UTC' });
  await page.goto(`${daybook.url}/b/${book.id}/settings`);
  const form = page.getByRole('form', { name: 'Settings of the book' });
  await form.getByLabel('Name', { exact: true }).fill('Mine');
  await daybook.call('PUT', 'books', { id: book.id, name: 'Theirs' });
  await form.getByRole('button', { name: 'Save settings' }).click();
  await expect(form.getByText('Someone else changed it to Theirs')).toBeVisible();
  await form.getByRole('button', { name: 'Save settings' }).click();
  await expect.poll(async () => (await daybook.call('GET', `books/${book.id}`)).name).toBe('Mine');
  expect(problems).toEqual([]);
});

test('a book is copied with transactions, deleted, restored and deleted from the list', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/books`);
  const grid = page.getByRole('grid', { name: 'Books' });
  await expect(grid.getByRole('row', { name: /^Household/ })).toContainText('300');
  await expectAccessible(page);
  await grid.getByRole('button', { name: 'Actions for Household' }).click();
  await page.getByRole('menuitem', { name: 'Copy' }).click();
  const form = page.getByRole('form', { name: 'Copy the book' });
  await expect(form.getByLabel('Name of the copy')).toBeFocused();
  await form.getByLabel('Name of the copy').fill('Household 2');
  await form.getByLabel('With transactions').check();
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Copy book' }).click();
  await expect(page.getByText('Copied to Household 2')).toBeVisible();
  await page.getByRole('link', { name: 'Settings' }).click();
  await expect(page.getByRole('form', { name: 'Settings of the book' }).getByLabel('Name', { exact: true })).toHaveValue('Household 2');

  await page.getByLabel('Type Household 2 to confirm').fill('Household 2');
  await page.getByRole('button', { name: 'Delete book' }).click();
  await expect(grid.getByRole('row', { name: /^Household/ })).toHaveCount(1);
  await page.getByRole('link', { name: /^Deleted books/ }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Restore Household 2' }).click();
  await expect(page.getByRole('heading', { name: 'No deleted books' })).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('k');
  await grid.getByRole('button', { name: 'Actions for Household 2' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(grid.getByRole('row', { name: /^Household/ })).toHaveCount(1);
  expect(problems).toEqual([]);
});

test('[38] the overview shows the course as charts with a table, the newest and what needs attention', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/b/${daybook.bookId}`);
  await expect(page.getByRole('img', { name: /^Net worth/ }).locator('canvas')).toBeVisible();
  await expect(page.getByRole('img', { name: /^Income and expenses/ }).locator('canvas')).toBeVisible();
  const figures = page.getByRole('region', { name: 'Figures by month' });
  await expect(figures.getByRole('row')).toHaveCount(13);
  await expectAccessible(page);
  const report = await daybook.call('GET', `books/${daybook.bookId}/reports/income-statement?period=${new Date().toISOString().slice(0, 7)}`);
  const total = report.rows.find(({ cells }: { cells: string[] }) => cells[0] === 'Total expenses').cells[1];
  await expect(figures.getByRole('row').nth(1)).toContainText(Number(total).toLocaleString('en', { minimumFractionDigits: 2 }));
  await expect(page.getByRole('link', { name: /4 drafts to complete/ })).toBeVisible();
  await page.getByRole('link', { name: /unchecked transactions/ }).click();
  await expect(page).toHaveURL(/q=is%3Aunchecked/);
  await page.goBack();
  await page.getByRole('region', { name: 'Newest transactions' }).getByRole('link').first().click();
  await expect(page.getByRole('complementary', { name: 'Transaction' })).toBeVisible();
  expect(problems).toEqual([]);
});

test('[48] books, overview and settings fit 360 pixels', async ({ page, daybook, problems }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 360, height: 740 });
  for (const path of ['/books', '/books/new', `/b/${daybook.bookId}`, `/b/${daybook.bookId}/settings`]) {
    await page.goto(daybook.url + path);
    await settled(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    expect(await page.evaluate(() => document.getElementById('main')!.scrollWidth - document.getElementById('main')!.clientWidth)).toBe(0);
    await expectAccessible(page);
  }
  expect(problems).toEqual([]);
});

test('[8] a query is pinned from the view, renamed and unpinned', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/b/${daybook.bookId}/transactions?q=${encodeURIComponent('#travel')}&period=2026-11`);
  const pins = page.getByRole('region', { name: 'Pinned queries' });
  await pins.getByRole('button', { name: 'Pin this query' }).click();
  await page.getByLabel('Name of the pinned query').fill('Trips');
  await page.keyboard.press('Enter');
  await expect(pins.getByRole('link', { name: 'Trips' })).toHaveAttribute('aria-current', 'page');
  await expect(pins.getByRole('link', { name: 'Trips' })).toHaveAttribute('title', 'on:2026-11 #travel');
  await expectAccessible(page);
  await pins.getByRole('button', { name: 'Actions for Trips' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByLabel('Name of Trips').fill('Journeys');
  await page.keyboard.press('Enter');
  await expect(pins.getByRole('link', { name: 'Journeys' })).toBeVisible();
  await pins.getByRole('link', { name: 'Unchecked' }).click();
  await expect(page).toHaveURL(/q=is%3Aunchecked/);
  await pins.getByRole('link', { name: 'Journeys' }).click();
  await expect(page).toHaveURL(/q=on%3A2026-11\+%23travel/);
  await pins.getByRole('button', { name: 'Actions for Journeys' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Unpin' }).click();
  await expect(pins.getByRole('link', { name: 'Journeys' })).toHaveCount(0);
  expect(problems).toEqual([]);
});

test('a collection shows its books side by side and adds up one currency alone', async ({ page, daybook, problems }) => {
  const make = async (name: string, currency: string, amount: string) => {
    const book = await daybook.call('POST', 'books', { name, properties: { currency }, accounts: [{ name: 'Bank', type: 'ASSET' }, { name: 'Sales', type: 'INCOMING' }] });
    await daybook.call('POST', `books/${book.id}/transactions`, { date: `${new Date().getUTCFullYear()}-01-05`, amount, creditAccount: { name: 'Sales' }, debitAccount: { name: 'Bank' } });
  };
  await make('Shop EUR', 'EUR', '100.10');
  await make('Fair EUR', 'EUR', '50');
  await make('Shop USD', 'USD', '70');
  await page.goto(`${daybook.url}/collections`);
  await page.getByRole('textbox', { name: 'Name of the new collection' }).fill('Shops');
  await page.getByRole('button', { name: 'Create collection' }).click();
  await expect(page.getByRole('link', { name: 'Shops' })).toBeVisible();
  await expectAccessible(page);
  const grid = page.getByRole('grid', { name: 'Books' });
  for (const name of ['Shop EUR', 'Fair EUR', 'Shop USD']) {
    await page.goto(`${daybook.url}/books`);
    await grid.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Move to Shops' }).click();
    await expect(grid.getByRole('row', { name: new RegExp(`^${name}`) }).getByRole('link', { name: 'Shops' })).toBeVisible();
  }
  await grid.getByRole('link', { name: 'Shops' }).first().click();
  const table = page.getByRole('region', { name: 'Books side by side' });
  await expect(table.getByRole('columnheader')).toHaveText(['Figure', 'Fair EUREUR', 'Shop EUREUR', 'Shop USDUSD', '2 booksEUR together']);
  await expect(table.getByRole('row', { name: /^Net worth/ })).toHaveText('Net worth50.00100.1070.00150.10');
  await expectAccessible(page);
  await page.getByLabel('Period').selectOption({ index: 1 });
  await expect(table.getByRole('row', { name: /^Net worth/ })).toHaveText('Net worth0.000.000.000.00');
  expect(problems).toEqual([]);
});
