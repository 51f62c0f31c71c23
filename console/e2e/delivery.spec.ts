/** The console as the binary delivers it: its policy, its caching, and the path that it is mounted under. */
import { expect, expectAccessible, test } from './support';

test.use({ suite: 'delivery', server: { prefix: '/books-api', rows: 40 } });

test('the page has its policy, and files are cached by their hashed names', async ({ page, daybook, problems }) => {
  const answers = new Map<string, Record<string, string>>();
  page.on('response', (response) => answers.set(new URL(response.url()).pathname, response.headers()));
  await page.goto(`${daybook.url}/books`);
  await expect(page.getByRole('grid', { name: 'Books' }).getByRole('link', { name: 'Household' })).toBeVisible();
  const document = answers.get('/books-api/books')!;
  expect(document['content-security-policy']).toMatch(/default-src 'none'.*script-src 'self';.*frame-ancestors 'none'/);
  expect(document['content-security-policy']).not.toContain('unsafe');
  expect(document['cache-control']).toBe('no-cache');
  const files = [...answers].filter(([path]) => path.startsWith('/books-api/assets/'));
  expect(files.length).toBeGreaterThan(3);
  for (const [path, headers] of files) {
    expect(headers['cache-control'], path).toBe('public, max-age=31536000, immutable');
    expect(headers['x-content-type-options'], path).toBe('nosniff');
  }
  // Nothing may come from elsewhere, nor be written into the page.
  expect([...answers.keys()].filter((path) => !path.startsWith('/books-api/'))).toEqual([]);
  const ran = await page.evaluate(async () => {
    const script = window.document.createElement('script');
    script.textContent = 'window.intruded = true';
    window.document.body.append(script);
    const image = await fetch('https://example.com/').then(() => 'reached', () => 'refused');
    return [(window as unknown as { intruded?: boolean }).intruded ?? false, image];
  });
  expect(ran).toEqual([false, 'refused']);
  expect(problems.every((problem) => problem.includes('Content Security Policy'))).toBe(true);
  problems.length = 0;
});

test('below a path prefix each state is a link that survives a reload', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/b/${daybook.bookId}/transactions?q=is:checked`);
  const grid = page.getByRole('grid', { name: 'Transactions' });
  await expect(grid.getByRole('row').nth(2)).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('complementary', { name: 'Transaction' })).toBeVisible();
  await expect(page).toHaveURL(/\/books-api\/b\/.*panel=transaction/);
  await page.reload();
  await expect(page.getByRole('complementary', { name: 'Transaction' })).toContainText('Recorded by');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`${daybook.url}/b/${daybook.bookId}$`));
  await expectAccessible(page);
  expect(problems).toEqual([]);
});

test('a mistyped address of the API stays an error for programs', async ({ page, daybook }) => {
  const wrong = await page.request.get(`${daybook.url}/v5/nothing`, { headers: { Accept: 'text/html' } });
  expect(wrong.status()).toBe(404);
  expect(wrong.headers()['content-type']).toContain('application/json');
  const view = await page.request.get(`${daybook.url}/b/any/view`, { headers: { Accept: 'text/html' } });
  expect(view.headers()['content-type']).toContain('text/html');
});
