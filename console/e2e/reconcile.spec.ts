import { expect, expectAccessible, test, type Daybook } from './support';
import type { Page } from '@playwright/test';

interface Books { readonly bookId: string; readonly bank: string; readonly shop: string }

/** A book of its own with one bank account, so that figures are known. */
async function makeBook(daybook: Daybook): Promise<Books> {
  const book = await daybook.call('POST', 'books', { name: 'Club', datePattern: 'dd/MM/yyyy', decimalSeparator: 'DOT', fractionDigits: 2, timeZone: 'UTC', properties: { currency: 'EUR' } });
  const at = `books/${book.id}`;
  const { items } = await daybook.call('POST', `${at}/accounts/batch`, {
    items: [{ name: 'Bank', type: 'ASSET' }, { name: 'Fees', type: 'INCOMING' }, { name: 'Shop', type: 'OUTGOING' }],
  });
  const [bank, fees, shop] = items.map(({ id }: { id: string }) => ({ id }));
  const row = (date: string, from: object, to: object, description: string, amount: string) => ({ date, creditAccount: from, debitAccount: to, description, amount });
  await daybook.call('POST', `${at}/transactions/batch`, {
    items: [
      row('2026-03-01', fees, bank, 'Members', '500.00'), row('2026-03-10', bank, shop, 'Balls <b>&', '120.50'), row('2026-03-20', bank, shop, 'Nets', '79.50'),
      row('2026-03-30', bank, shop, 'Not on the statement', '10.00'), row('2026-04-05', fees, bank, 'Members April', '200.00'),
    ],
  });
  return { bookId: book.id, bank: bank.id, shop: shop.id };
}

const list = (page: Page) => page.getByRole('grid', { name: 'Rows of Bank' });
const tick = (page: Page, name: RegExp) => list(page).getByRole('row', { name }).getByRole('checkbox');

test('[19] reconcile an account against a statement by keyboard', async ({ page, daybook, problems }) => {
  const { bookId, bank } = await makeBook(daybook);
  await page.goto(`${daybook.url}/b/${bookId}/accounts/${bank}`);
  await expect(page.getByRole('grid', { name: 'Register of Bank' }).getByRole('row').nth(3)).toBeVisible();
  await page.keyboard.press('r');
  await expect(page).toHaveURL(new RegExp(`reconcile\\?account=${bank}`));
  await expect(page.getByRole('heading', { name: 'No statement yet' })).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('Statement up to').fill('31/03/2026');
  await page.getByLabel('Closing balance in EUR').fill('300.00');
  await page.keyboard.press('Enter');

  const status = page.locator('.reconcile-balance');
  await expect(list(page).getByRole('row')).toHaveCount(5);
  await expect(status).toContainText('Difference300.00');
  await page.keyboard.press('j');
  await page.keyboard.press('c');
  await expect(status).toContainText('−200.00');
  await page.keyboard.press('j');
  await page.keyboard.press('Space');
  await expect(status).toContainText('−79.50');
  await expectAccessible(page);

  // Ticks that are not saved survive a reload.
  await page.reload();
  await expect(tick(page, /Balls/)).toBeChecked();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Space');
  await expect(page.getByText('The account agrees with the statement')).toBeVisible();
  await expect(status).toHaveClass(/is-equal/);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(/reconcile\/[0-9a-f]{16}/);
  await expect(page.getByRole('button', { name: 'Saved' })).toBeDisabled();
  expect((await daybook.call('GET', `books/${bookId}/transactions/count?query=is:checked`)).total).toBe(3);
  await expectAccessible(page);

  // The next one opens with this closing balance, and offers the rows that are left.
  await page.getByRole('link', { name: 'Earlier ones' }).click();
  const earlier = page.getByRole('table', { name: 'Earlier reconciliations' });
  await expect(earlier.getByRole('row', { name: /31\/03\/2026/ })).toContainText('Agrees');
  await expectAccessible(page);
  await page.getByLabel('Statement up to').fill('30/04/2026');
  await page.getByLabel('Closing balance in EUR').fill('490');
  await expect(page.getByText('Opens with 300.00 of 31/03/2026')).toBeVisible();
  await page.getByRole('button', { name: 'Start' }).click();
  await expect(list(page).getByRole('row')).toHaveCount(3);
  await page.getByRole('button', { name: 'Tick all' }).click();
  await expect(page.getByText('The account agrees with the statement')).toBeVisible();
  expect(problems).toEqual([]);
});

test('[20] legs of an entry are one line of the statement, ticked together', async ({ page, daybook, problems }) => {
  const { bookId, bank, shop } = await makeBook(daybook);
  const leg = (amount: string) => ({ date: '2026-03-25', creditAccount: { id: bank }, debitAccount: { id: shop }, description: 'Trip', amount, properties: { entry_id: 'trip' } });
  await daybook.call('POST', `books/${bookId}/transactions/batch`, { items: [leg('30.00'), leg('12.50')] });
  await page.goto(`${daybook.url}/b/${bookId}/reconcile/new?account=${bank}&date=2026-03-31&closing=-42.50`);
  const line = list(page).getByRole('row', { name: /Trip/ });
  await expect(line).toHaveCount(1);
  await expect(line).toContainText('2 legs');
  await expect(line).toContainText('42.50');
  await line.getByRole('button', { name: '2 legs' }).click();
  await expect(line).toHaveCount(3);
  await expectAccessible(page);
  await line.nth(2).getByRole('checkbox').click();
  for (const at of [0, 1, 2]) await expect(line.nth(at).getByRole('checkbox')).toBeChecked();
  await expect(page.getByText('The account agrees with the statement')).toBeVisible();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'Print sheet' }).click();
  await expect(page.getByRole('article', { name: 'Reconciliation sheet' }).getByRole('row', { name: /Trip/ })).toHaveCount(1);
  expect((await daybook.call('GET', `books/${bookId}/transactions/count?query=is:checked`)).total).toBe(2);
  expect(problems).toEqual([]);
});

test('[19] a statement file stays with the record, later changes are flagged, deletion is undone', async ({ page, daybook, problems }) => {
  const { bookId, bank } = await makeBook(daybook);
  await page.goto(`${daybook.url}/b/${bookId}/reconcile/new?account=${bank}&date=2026-03-31&closing=290.00`);
  await expect(list(page).getByRole('row')).toHaveCount(5);
  await page.getByRole('button', { name: 'Tick all' }).click();
  await page.getByLabel('Choose the statement file').setInputFiles({ name: 'March <i>.txt', mimeType: 'text/plain', buffer: Buffer.from('closing 290.00') });
  await expect(page.getByRole('link', { name: 'March <i>.txt' })).toBeVisible();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(/reconcile\/[0-9a-f]{16}/);
  await page.reload();
  await expect(page.getByRole('link', { name: 'March <i>.txt' })).toBeVisible();

  const { items } = await daybook.call('GET', `books/${bookId}/transactions?query=${encodeURIComponent('Nets')}`);
  await daybook.call('PATCH', `books/${bookId}/transactions/uncheck`, { id: items[0].id });
  await daybook.call('PUT', `books/${bookId}/transactions`, { ...items[0], checked: undefined, amount: '80.00' });
  await page.reload();
  const note = page.getByRole('region', { name: 'Later changes' });
  await expect(note).toContainText(/Nets was changed by ada, \d\d\/\d\d\/\d{4} \d\d:\d\d/);
  await expect(page.locator('.reconcile-difference')).toContainText('0.50');
  await expectAccessible(page);
  await note.getByRole('button', { name: 'Accept the changes' }).click();
  await expect(note).toHaveCount(0);

  // The statement is wrong: correct its closing balance.
  await page.getByLabel('Closing balance').fill('289.50');
  await expect(page.getByText('The account agrees with the statement')).toBeVisible();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete this reconciliation' }).click();
  await expect(page.getByRole('heading', { name: 'No statement yet' })).toBeVisible();
  await page.keyboard.press('z');
  await expect(page.getByRole('table').getByRole('row', { name: /289\.50/ })).toContainText('Agrees');
  expect(problems).toEqual([]);
});

test('reconciling works at 360 pixels and in the dark theme', async ({ page, daybook, problems }) => {
  const { bookId, bank } = await makeBook(daybook);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 360, height: 740 });
  for (const path of [`reconcile?account=${bank}`, `reconcile/new?account=${bank}&date=2026-03-31&closing=300.00`]) {
    await page.goto(`${daybook.url}/b/${bookId}/${path}`);
    await expect(page.getByLabel('Statement up to')).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    await expectAccessible(page);
  }
  await tick(page, /Members/).click();
  await expect(page.locator('.reconcile-difference')).toContainText('−200.00');
  expect(problems).toEqual([]);
});
