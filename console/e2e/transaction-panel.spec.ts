/** The panel of a transaction: fields, history, files, answers of apps, comments. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { lineOf, makeBook, moveTo } from './lists';
import { expect, expectAccessible, test } from './support';

test('[11] [40] the panel edits all fields and shows the history as differences', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, [{ description: 'Books #read', properties: { shop: 'Corner' } }, { description: 'Next', date: '2026-02-01' }]);
  await page.goto(book.path(`transactions?panel=transaction:${book.rows[0]!.id}`));
  const panel = page.getByRole('complementary', { name: 'Transaction' });
  await panel.getByRole('textbox', { name: 'Description' }).fill('Novel #read');
  await panel.getByRole('textbox', { name: 'Value of shop' }).fill('Market');
  await panel.getByRole('button', { name: 'Add a property' }).click();
  await panel.getByRole('textbox', { name: 'Name of property 2' }).fill('author');
  await panel.getByRole('textbox', { name: 'Value of author' }).fill('<i>Ada</i>');
  await panel.getByRole('textbox', { name: 'Links' }).fill('https://example.com/novel\njavascript:alert(1)');
  await panel.getByRole('textbox', { name: 'Remote ids' }).fill('shop-1');
  await panel.getByRole('textbox', { name: 'Add a hashtag' }).fill('gift');
  await page.keyboard.press('Enter');
  await expect(panel.getByRole('textbox', { name: 'Description' })).toHaveValue('Novel #read #gift');
  await panel.getByRole('button', { name: 'Remove #read' }).click();
  await expectAccessible(page);

  // Typed text survives the panel.
  await page.getByRole('button', { name: 'Close the panel' }).click();
  await page.goBack();
  await expect(panel.getByRole('textbox', { name: 'Description' })).toHaveValue('Novel #gift');
  await panel.getByRole('button', { name: 'Save' }).first().click();
  await expect.poll(async () => (await book.find('Novel'))[0]).toMatchObject({
    description: 'Novel #gift', properties: { shop: 'Market', author: '<i>Ada</i>' }, urls: ['https://example.com/novel', 'javascript:alert(1)'], remoteIds: ['shop-1'],
  });
  await expect(panel.getByRole('link', { name: 'https://example.com/novel' })).toBeVisible();
  await expect(panel.getByRole('link', { name: 'javascript' })).toHaveCount(0);
  const history = panel.locator('.tx-history');
  await expect(history).toContainText('Changed by');
  await expect(history.locator('del', { hasText: 'Corner' })).toBeVisible();
  await expect(history.locator('ins', { hasText: '<i>Ada</i>' })).toBeVisible();
  await expect(history).toContainText(/#\d+/);
  await page.getByRole('button', { name: 'Close the panel' }).click();
  await page.keyboard.press('z');
  await expect.poll(async () => (await book.find('Books'))[0]?.properties).toEqual({ shop: 'Corner' });
  expect(problems).toEqual([]);
});

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>');

/** Drops files on an element, as a person does from a folder. */
async function dropFile(page: Page, selector: string, name: string, type: string, bytes: Buffer) {
  const data = await page.evaluateHandle(
    ([text, fileName, fileType]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(text!), (char) => char.charCodeAt(0))], fileName!, { type: fileType! }));
      return transfer;
    },
    [bytes.toString('base64'), name, type],
  );
  await page.dispatchEvent(selector, 'dragover', { dataTransfer: data });
  await page.dispatchEvent(selector, 'drop', { dataTransfer: data });
}

test('[44] files are dropped on a row, shown beside it, downloaded and removed', async ({ page, daybook, problems }) => {
  test.slow(); // uploads, and a viewer of PDFs that starts
  const book = await makeBook(daybook, [{ description: 'Receipt' }]);
  await page.goto(book.path('transactions'));
  await expect(lineOf(page, 'Receipt')).toBeVisible();
  await dropFile(page, '.list-row .tx-description', 'shop <b>.png', 'image/png', PNG);
  await expect(lineOf(page, 'Receipt').getByRole('img', { name: 'Has a file' })).toBeVisible();
  await moveTo(page, 'Receipt');
  await page.keyboard.press('Enter');
  const panel = page.getByRole('complementary', { name: 'Transaction' });
  await panel.locator('input[type=file]').setInputFiles([
    { name: 'bill.pdf', mimeType: 'application/pdf', buffer: PDF },
    { name: 'evil.html', mimeType: 'text/html', buffer: Buffer.from('<script>parent.document.title="broken"</script>') },
  ]);
  await expect(panel.locator('.file-list li')).toHaveCount(3);
  const image = panel.locator('.file-list li', { hasText: 'shop <b>.png' });
  await image.getByRole('button', { name: 'View' }).click();
  await expect.poll(() => panel.locator('.file-view img').evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(1);
  await expectAccessible(page);
  await image.getByRole('button', { name: 'Hide' }).click();
  await panel.locator('.file-list li', { hasText: 'bill.pdf' }).getByRole('button', { name: 'View' }).click();
  await expect(panel.locator('.file-view iframe')).toHaveAttribute('src', /^blob:/);
  const html = panel.locator('.file-list li', { hasText: 'evil.html' });
  await expect(html.getByRole('button', { name: 'View' })).toHaveCount(0);
  const [download] = await Promise.all([page.waitForEvent('download'), html.getByRole('button', { name: 'Download evil.html' }).click()]);
  expect(download.suggestedFilename()).toBe('evil.html');
  await html.getByRole('button', { name: 'Remove evil.html' }).click();
  await expect(panel.locator('.file-list li')).toHaveCount(2);
  await page.keyboard.press('Escape');
  await page.keyboard.press('z');
  await expect.poll(async () => (await book.find('Receipt'))[0].files.length).toBe(3);
  expect(problems.filter((problem) => !problem.includes('blob:'))).toEqual([]);
  problems.length = 0;
});

test('[42] answers of apps stand on the row that caused them, with retry', async ({ page, daybook, problems }) => {
  let answer = { error: 'Tax rate <img src=x onerror=alert(1)> is missing' } as object;
  const hook = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answer)));
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  try {
    const book = await makeBook(daybook, []);
    const agentId = `tax-${book.id.toLowerCase().replace(/[^a-z0-9]/g, '').slice(-10)}`;
    await daybook.call('POST', 'apps', {
      id: agentId, name: 'Tax helper', installable: true, events: ['TRANSACTION_POSTED'], webhookUrl: `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`,
    });
    await daybook.call('POST', `${book.at}/integrations`, { agentId });
    await daybook.call('POST', `${book.at}/transactions`, { date: '2026-03-01', description: 'Invoice', amount: '10', creditAccount: { name: 'Bank' }, debitAccount: { name: 'Food' } });
    await expect.poll(async () => (await book.find('error:true')).length, { timeout: 20_000 }).toBe(1);
    await page.goto(book.path('transactions'));
    await expect(lineOf(page, 'Invoice').getByRole('img', { name: 'An app answered with an error' })).toBeVisible();
    await moveTo(page, 'Invoice');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Transaction' });
    await expect(panel.locator('.tx-answer')).toContainText('Tax rate');
    await expect(panel.locator('.tx-answer')).toContainText('Tax helper');
    await expectAccessible(page);
    answer = { result: 'Done, 19 %' };
    await panel.getByRole('button', { name: 'Retry Tax helper' }).click();
    await expect(panel.locator('.tx-answer')).toContainText('Done, 19 %');
    await expect(page.getByRole('img', { name: 'An app answered with an error' })).toHaveCount(0);
    expect(problems).toEqual([]);
  } finally {
    hook.closeAllConnections();
    hook.close();
  }
});

test('[21] comments are written, counted on the row, and deleted', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, [{ description: 'Talk about this' }]);
  await page.goto(book.path('transactions'));
  await moveTo(page, 'Talk');
  await page.keyboard.press('o');
  const panel = page.getByRole('complementary', { name: 'Transaction' });
  const field = panel.getByRole('textbox', { name: 'New comment' });
  await expect(field).toBeFocused();
  await field.fill('Is this <script>right</script>?\nAsk Bob.');
  await page.keyboard.press('Control+Enter');
  await expect(panel.locator('.comment')).toContainText('Is this <script>right</script>?');
  await expect(field).toHaveValue('');
  await expect(lineOf(page, 'Talk').getByRole('img', { name: '1 comment' })).toBeVisible();
  await expectAccessible(page);
  await panel.getByRole('button', { name: 'Delete the comment' }).click();
  await expect(panel.locator('.comment')).toHaveCount(0);
  expect(problems).toEqual([]);
});
