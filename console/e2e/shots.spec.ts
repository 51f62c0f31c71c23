/** Pictures of the views, for looking at them: `npm run shots`, then see test-results/shots. */
import { test } from './support';

const views: [name: string, path: (bookId: string, accountId: string) => string][] = [
  ['books', () => '/books'],
  ['new-book', () => '/books/new'],
  ['overview', (book) => `/b/${book}`],
  ['accounts', (book) => `/b/${book}/accounts?all=1`],
  ['account-panel', (book, account) => `/b/${book}/accounts?panel=account:${account}`],
  ['new-account', (book) => `/b/${book}/accounts?panel=account:new`],
  ['collections', () => '/collections'],
  ['settings', (book) => `/b/${book}/settings`],
  ['transactions', (book) => `/b/${book}/transactions`],
  ['register', (book, account) => `/b/${book}/accounts/${account}?period=PERIOD`],
  ['budget-new', (book) => `/b/${book}/budget`],
  ['drafts', (book) => `/b/${book}/drafts`],
  ['trash', (book) => `/b/${book}/trash`],
  ['balance-sheet', (book) => `/b/${book}/reports/balance-sheet`],
  ['income-statement', (book) => `/b/${book}/reports/income-statement?columns=month`],
  ['general-ledger', (book) => `/b/${book}/reports/general-ledger`],
  ['reconcile', (book, account) => `/b/${book}/reconcile?account=${account}`],
  ['imports', (book, account) => `/b/${book}/imports?account=${account}`],
  ['people', (book) => `/b/${book}/people`],
  ['apps', (book) => `/b/${book}/apps`],
  ['history', (book) => `/b/${book}/history`],
  ['profile', () => '/me'],
  ['entry-line', (book) => `/b/${book}/transactions?entry=line`],
  ['entry-form', (book) => `/b/${book}/transactions?entry=form`],
  ['devices', () => '/me/devices'],
  ['access', () => '/me/access'],
  ['administration', () => '/administration'],
  ['empty', (book) => `/b/${book}/transactions?q=nothing+on:2013-02-30`],
];

test.skip(!process.env['SHOTS'], 'only for pictures');

for (const scheme of ['light', 'dark'] as const) {
  for (const width of [1400, 360]) {
    test(`${scheme} ${width}`, async ({ page, daybook }) => {
      test.slow();
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: width === 360 ? 740 : 900 });
      const { items } = await daybook.call('GET', `books/${daybook.bookId}/accounts`);
      const account = items.find(({ name }: { name: string }) => name === 'Checking').id;
      const shot = (name: string) => page.screenshot({ path: `test-results/shots/${name}-${scheme}-${width}.png` });
      for (const [name, path] of views) {
        await page.goto(daybook.url + path(daybook.bookId, account).replace('PERIOD', new Date().toISOString().slice(0, 7)));
        await page.locator('main').waitFor();
        // The event stream never ends, so the network is never idle.
        await page.waitForTimeout(900);
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
