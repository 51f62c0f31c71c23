/** Pictures of the views that need data of their own: SHOTS=1, then see test-results/shots. */
import { test } from './support';

test.skip(!process.env['SHOTS'], 'only for pictures');

test('budget and reconciliation sheet', async ({ page, daybook }) => {
  test.setTimeout(240_000);
  const at = `books/${daybook.bookId}`;
  const year = new Date().getUTCFullYear();
  const { items: accounts } = await daybook.call('GET', `${at}/accounts`);
  const bank = accounts.find(({ name }: { name: string }) => name === 'Checking').id;
  await page.goto(`${daybook.url}/b/${daybook.bookId}/budget?period=${year}`);
  await page.getByLabel('Begin with last year').uncheck();
  await page.getByRole('button', { name: 'Create the budget' }).click();
  await page.getByRole('treegrid').waitFor();
  const budget = (await daybook.call('GET', 'books')).items.find((book: { properties: Record<string, string> }) => book.properties['budget_of'] === daybook.bookId);
  const plan = [['Salary', '3264'], ['Rent', '1180'], ['Electricity & heating', '110'], ['Groceries', '180'], ['Café and restaurants', '80'], ['Clothing', '150'], ['Books & music', '60'], ['Fuel', '140'], ['Train tickets', '150']];
  const counter = await daybook.call('POST', `books/${budget.id}/accounts`, { name: 'Budget', type: 'ASSET', properties: { budget: 'balance' } });
  await daybook.call('POST', `books/${budget.id}/transactions/batch`, {
    items: plan.flatMap(([name, amount]) => Array.from({ length: 12 }, (_, month) => ({
      date: `${year}-${String(month + 1).padStart(2, '0')}-01`, amount, description: 'Budget',
      ...(name === 'Salary' ? { creditAccount: { name }, debitAccount: { id: counter.id } } : { creditAccount: { id: counter.id }, debitAccount: { name } }),
    }))),
  });
  const unchecked = (await daybook.call('GET', `${at}/transactions?limit=60&query=${encodeURIComponent('account:Checking is:posted')}`)).items;
  const sheet = await daybook.call('POST', `${at}/reconciliations`, { account: { id: bank }, date: new Date().toISOString().slice(0, 10), closingBalance: '100', add: unchecked.map(({ id }: { id: string }) => id) });
  for (const scheme of ['light', 'dark'] as const) {
    for (const width of [1400, 360]) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: width === 360 ? 740 : 900 });
      const month = new Date().toISOString().slice(0, 7);
      for (const [name, path] of [
        ['budget', `budget?period=${width === 360 ? month : year}`], ['budget-month', `budget?period=${month}`], ['budget-year', `budget?period=${year}`],
        ['reconcile-print', `reconcile/${sheet.id}/print`], ['reconcile-sheet', `reconcile/${sheet.id}`], ['reports', 'reports'],
        ['income-budget', `reports/income-statement?period=${month}&compare=${budget.id}`], ['overview-budget', ''],
      ]) {
        await page.goto(`${daybook.url}/b/${daybook.bookId}/${path}`);
        await page.locator('main').waitFor();
        await page.waitForTimeout(900);
        if (name === 'budget-year' && width === 1400) {
          await page.getByRole('treegrid').focus();
          await page.keyboard.press('ArrowDown');
          await page.keyboard.type('40*3');
        }
        await page.screenshot({ path: `test-results/shots/${name}-${scheme}-${width}.png` });
      }
      await page.goto(`${daybook.url}/b/${daybook.bookId}/accounts`);
      await page.getByRole('grid').waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('Shift+m');
      await page.waitForTimeout(500);
      await page.screenshot({ path: `test-results/shots/accounts-drag-${scheme}-${width}.png` });
      await page.keyboard.press('Escape');
    }
  }
});
