/** Pictures of the views, for looking at them: `npm run shots`, then see test-results/shots. */
import { test } from './support';

const views: [name: string, path: (bookId: string, accountId: string) => string][] = [
  ['books', () => '/books'],
  ['transactions', (book) => `/b/${book}/transactions`],
  ['register', (book, account) => `/b/${book}/accounts/${account}?period=PERIOD`],
  ['people', (book) => `/b/${book}/people`],
  ['apps', (book) => `/b/${book}/apps`],
  ['history', (book) => `/b/${book}/history`],
  ['profile', () => '/me'],
  ['devices', () => '/me/devices'],
  ['access', () => '/me/access'],
  ['empty', (book) => `/b/${book}/transactions?q=nothing+on:2013-02-30`],
];

test.skip(!process.env['SHOTS'], 'only for pictures');

for (const scheme of ['light', 'dark'] as const) {
  for (const width of [1400, 360]) {
    test(`${scheme} ${width}`, async ({ page, daybook }) => {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: width === 360 ? 740 : 900 });
      const { items } = await daybook.call('GET', `books/${daybook.bookId}/accounts`);
      const account = items.find(({ name }: { name: string }) => name === 'Checking').id;
      const shot = (name: string) => page.screenshot({ path: `test-results/shots/${name}-${scheme}-${width}.png` });
      for (const [name, path] of views) {
        await page.goto(daybook.url + path(daybook.bookId, account).replace('PERIOD', new Date().toISOString().slice(0, 7)));
        await page.waitForLoadState('networkidle');
        await page.waitForTimeout(300);
        await shot(name);
      }
      await page.goto(`${daybook.url}/b/${daybook.bookId}/transactions`);
      await page.getByRole('grid').waitFor();
      await page.waitForTimeout(500);
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('x');
      await page.keyboard.press('j');
      await page.keyboard.press('x');
      await page.keyboard.press('Enter');
      await page.waitForTimeout(600);
      await shot('panel');
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      await page.waitForTimeout(300);
      await shot('help');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.keyboard.type('ca');
      await page.waitForTimeout(300);
      await shot('palette');
      await page.keyboard.press('Escape');
      await page.keyboard.press('/');
      await page.keyboard.type('account:ca');
      await page.waitForTimeout(300);
      await shot('completion');
    });
  }
}
