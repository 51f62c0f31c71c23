import { writeFileSync } from 'node:fs';
import { expect, expectAccessible, test, type Daybook } from './support';

test.use({ suite: 'reconcile-print' });

const ROWS = 90;

/** A statement of two pages, ticked and saved. */
async function makeSheet(daybook: Daybook) {
  const book = await daybook.call('POST', 'books', { name: 'Sailing club', datePattern: 'dd/MM/yyyy', decimalSeparator: 'DOT', fractionDigits: 2, timeZone: 'UTC', properties: { currency: 'EUR' } });
  const at = `books/${book.id}`;
  const { items } = await daybook.call('POST', `${at}/accounts/batch`, { items: [{ name: 'Giro account', type: 'ASSET' }, { name: 'Members', type: 'INCOMING' }, { name: 'Harbour', type: 'OUTGOING' }] });
  const [bank, members, harbour] = items.map(({ id }: { id: string }) => ({ id }));
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    date: `2026-03-${String((index % 30) + 1).padStart(2, '0')}`, amount: `${10 + index}.50`,
    ...(index % 3 === 0 ? { creditAccount: bank, debitAccount: harbour, description: `Mooring ${index} <b>bold</b>` } : { creditAccount: members, debitAccount: bank, description: `Fee of member ${index}` }),
  }));
  const made = (await daybook.call('POST', `${at}/transactions/batch`, { items: rows })).items;
  const movement = made.reduce((total: number, row: { amount: string }, index: number) => total + (index % 3 === 0 ? -1 : 1) * Math.round(Number(row.amount) * 100), 0);
  const sheet = await daybook.call('POST', `${at}/reconciliations`, {
    account: bank, date: '2026-03-31', closingBalance: (movement / 100).toFixed(2), add: made.map(({ id }: { id: string }) => id),
  });
  return { bookId: book.id as string, sheetId: sheet.id as string, closing: movement };
}

test('[35] [19] the sheet of a reconciliation prints with statement, rows, result and lines to sign', async ({ page, daybook, problems }) => {
  const { bookId, sheetId, closing } = await makeSheet(daybook);
  await page.goto(`${daybook.url}/b/${bookId}/reconcile/${sheetId}`);
  await page.getByRole('link', { name: 'Print sheet' }).click();
  const sheet = page.getByRole('article', { name: 'Reconciliation sheet' });
  const text = (closing / 100).toLocaleString('en-GB', { minimumFractionDigits: 2 });
  await expect(sheet).toContainText('Sailing club');
  await expect(sheet).toContainText(/Reconciled by\s*ada, \d\d\/\d\d\/\d{4}/);
  await expect(sheet.getByRole('row', { name: /Opening balance/ }).first()).toContainText('0.00');
  await expect(sheet.getByRole('row', { name: /Closing balance of the statement/ })).toContainText(text);
  await expect(sheet.getByRole('row', { name: /Difference: the account agrees/ })).toContainText('0.00');
  await expect(sheet.getByText('Mooring 0 <b>bold</b>')).toBeVisible();
  await expect(sheet.getByText('Checked by, signature')).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
  await expectAccessible(page);
  await page.setViewportSize({ width: 1400, height: 900 });

  // On paper: no frame, light, each page with the heading of the table.
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await expect(page.getByRole('navigation').first()).toBeHidden();
  await expect(page.getByRole('button', { name: 'Print' })).toBeHidden();
  await expect(sheet.locator('.paper-repeat')).toBeVisible();
  expect(await sheet.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe('rgb(255, 255, 255)');
  const pdf = await page.pdf({ preferCSSPageSize: true, format: 'A4', printBackground: true });
  if (process.env['SHOTS']) writeFileSync('test-results/reconciliation.pdf', pdf);
  const pages = pdf.toString('latin1').match(/\/Type \/Page\b(?!s)/g)!.length;
  expect(pages).toBeGreaterThanOrEqual(2);
  expect(pages).toBeLessThanOrEqual(3);
  expect(problems).toEqual([]);
});
