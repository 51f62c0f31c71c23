import { expect, expectAccessible, test } from './support';

test('a signed-out visitor is asked to sign in', { tag: '@short' }, async ({ browser, daybook }) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(daybook.url);
  await expect(page.getByRole('link', { name: 'Sign in' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(/\/auth\/login/);
  await context.close();
});

test('[5] [6] books open, a query is completed, and every state is in the URL', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/books`);
  await expectAccessible(page);
  await page.getByRole('grid', { name: 'Books' }).getByRole('link', { name: 'Household', exact: true }).click();
  await page.getByRole('link', { name: 'Transactions', exact: true }).click();
  const grid = page.getByRole('grid', { name: 'Transactions' });
  await expect(grid.getByRole('row')).not.toHaveCount(1);
  await expect(page.getByText('304 rows')).toBeVisible();

  await page.keyboard.press('/');
  await page.keyboard.type('#tra');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/q=%23travel/);
  await expect(grid.getByRole('row', { name: /Monthly ticket/ }).first()).toBeVisible();
  await expect(grid.getByText('Salary')).toHaveCount(0);

  await page.reload();
  await expect(page.getByRole('combobox', { name: 'Query' })).toHaveValue('#travel');
  await page.goBack();
  await expect(page.getByText('304 rows')).toBeVisible();
  expect(problems).toEqual([]);
});

test('[18] [23] rows are selected, checked, undone and opened by keyboard alone', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/b/${daybook.bookId}/transactions?q=is:unchecked`);
  const grid = page.getByRole('grid', { name: 'Transactions' });
  await expect(grid.getByRole('row').nth(3)).toBeVisible();
  const before = await daybook.call('GET', `books/${daybook.bookId}/transactions/count?query=is:checked`);
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Shift+X');
  await expect(page.getByRole('region', { name: 'Selection' })).toContainText('3 rows');
  await expectAccessible(page);
  await page.keyboard.press('c');
  await expect.poll(async () => (await daybook.call('GET', `books/${daybook.bookId}/transactions/count?query=is:checked`)).total).toBe(before.total + 3);
  await page.keyboard.press('z');
  await expect.poll(async () => (await daybook.call('GET', `books/${daybook.bookId}/transactions/count?query=is:checked`)).total).toBe(before.total);

  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  const panel = page.getByRole('complementary', { name: 'Transaction' });
  await expect(panel).toContainText('Recorded by');
  const first = await panel.textContent();
  await page.keyboard.press('j');
  await expect(panel).not.toHaveText(first!);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  expect(problems).toEqual([]);
});

test('[2] [3] a register has opening row, running balance and the same closing balance as the sidebar', { tag: '@short' }, async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/b/${daybook.bookId}/transactions`);
  await page.getByRole('treeitem', { name: /^Checking/ }).click();
  const grid = page.getByRole('grid', { name: 'Register of Checking' });
  await expect(grid.getByRole('row').nth(2)).toBeVisible();
  await page.keyboard.press('.');
  await expect(page).toHaveURL(/period=\d{4}-\d{2}$/);
  await expect(grid).toContainText('Balance before');
  const closing = await page.locator('.summary dl > div', { hasText: 'Balance' }).locator('dd > span').first().textContent();
  await expect(page.getByRole('treeitem', { name: /^Checking/ })).toContainText(closing!);
  const newest = grid.locator('.is-unchecked, .is-checked').first().locator('.tx-balance');
  await expect(newest).toHaveText(closing!);
  await page.keyboard.press('[');
  await expect(grid).toContainText('Balance before');
  await expectAccessible(page);
  expect(problems).toEqual([]);
});

test('[25] [26] the palette, the account finder and the keyboard map open and close by keyboard', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/b/${daybook.bookId}/transactions`);
  await expect(page.getByText('304 rows')).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog', { name: 'Command palette' })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.type('cafe');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('grid', { name: 'Register of Café and restaurants' })).toBeVisible();
  await page.keyboard.press('f');
  await page.keyboard.type('credit');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('grid', { name: 'Register of Credit Card' })).toBeVisible();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard map' })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('j');
  await expect(page.getByRole('grid', { name: 'Transactions' })).toBeVisible();
  expect(problems).toEqual([]);
});

test('[47] [48] the console works at 360 pixels and in the dark theme', async ({ page, daybook, problems }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${daybook.url}/b/${daybook.bookId}/transactions`);
  await expect(page.getByRole('grid').getByRole('row').nth(3)).toBeVisible();
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(overflow).toBe(0);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Navigation' }).click();
  await page.getByRole('treeitem', { name: /^Cash −/ }).click();
  await expect(page.getByRole('grid', { name: 'Register of Cash' })).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(problems).toEqual([]);
});

test('a session that ends leaves the view in place and continues after signing in', async ({ page, context, daybook }) => {
  await page.goto(`${daybook.url}/b/${daybook.bookId}/transactions`);
  await expect(page.getByText('304 rows')).toBeVisible();
  const cookies = await context.cookies();
  await context.clearCookies();
  await page.route('**/v5/**', (route) => route.fulfill({ status: 401, json: { error: { code: 401, message: 'Login Required', errors: [{ reason: 'required' }] } } }));
  await page.keyboard.press('.');
  const dialog = page.getByRole('dialog', { name: 'Signed out' });
  await expect(dialog).toBeVisible();
  await expectAccessible(page);
  await page.unroute('**/v5/**');
  await context.addCookies(cookies);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL(/period=/);
  await expect(page.getByRole('grid').getByRole('row').nth(2)).toBeVisible();
});

test('a transient refusal is repeated with the same idempotency key', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/b/${daybook.bookId}/transactions?q=is:unchecked`);
  await expect(page.getByRole('grid').getByRole('row').nth(2)).toBeVisible();
  const keys: string[] = [];
  await page.route('**/transactions/check/batch*', async (route) => {
    keys.push(route.request().headers()['idempotency-key'] ?? '');
    if (keys.length > 1) return route.continue();
    return route.fulfill({ status: 503, headers: { 'Retry-After': '1' }, json: { error: { code: 503, message: 'busy', errors: [{ reason: 'backendError' }] } } });
  });
  await page.keyboard.press('j');
  await page.keyboard.press('c');
  await expect.poll(() => keys.length).toBe(2);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys[1]).toBe(keys[0]);
  await page.keyboard.press('z');
  expect(problems.filter((problem) => !problem.includes('503'))).toEqual([]);
  problems.length = 0;
});

test('[9] dates in the query box are stepped by the ranges of the API', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/b/${daybook.bookId}/transactions?q=${encodeURIComponent('#food on:2026-03')}`);
  await expect(page.getByRole('button', { name: '01/03/2026 – 31/03/2026' })).toBeVisible();
  await page.keyboard.press('[');
  await expect(page.getByRole('combobox', { name: 'Query' })).toHaveValue('#food on:2026-02');
  await expect(page.getByRole('button', { name: '01/02/2026 – 28/02/2026' })).toBeVisible();
  expect(problems).toEqual([]);
});

test('[7] terms that have no effect are named, and the rest of the query works', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/b/${daybook.bookId}/transactions?q=${encodeURIComponent("account:'No such account' is:sparkling")}`);
  const warnings = page.getByRole('search').getByRole('listitem');
  await expect(warnings.filter({ hasText: 'No such account' })).toBeVisible();
  await expect(warnings.filter({ hasText: 'sparkling' })).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Query' })).toHaveAttribute('aria-invalid', 'true');
  await expectAccessible(page);
  await page.keyboard.press('/');
  await page.keyboard.type('#travel');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('grid', { name: 'Transactions' }).getByRole('row', { name: /Monthly ticket/ }).first()).toBeVisible();
  await expect(warnings).toHaveCount(0);
  expect(problems).toEqual([]);
});
