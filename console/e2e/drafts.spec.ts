import { lineOf, makeBook, moveTo } from './lists';
import { expect, expectAccessible, test } from './support';

test.use({ suite: 'drafts' });
test.setTimeout(150_000);

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

test('[17] the tray says what is missing, a draft is completed in place, and one key posts it', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/b/${daybook.bookId}/drafts`);
  const grid = page.getByRole('grid', { name: 'Due drafts' });
  const row = grid.getByRole('row', { name: /Dentist/ });
  await expect(row).toContainText('Add To');
  await expect(grid.getByRole('row', { name: /Something in cash/ })).toContainText('Add date, To, amount');
  await expect(grid.getByRole('row', { name: /Lunch/ })).toContainText('Post');
  await expectAccessible(page);

  await row.click();
  await expect(grid.getByRole('combobox', { name: 'To' })).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.type('cloth');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Saved the draft')).toBeVisible();
  await expect(row).toContainText('Clothing');
  await page.keyboard.press('p');
  await expect(page.getByText('Posted 1 draft')).toBeVisible();
  await expect(row).toHaveCount(0);
  const posted = await daybook.call('GET', `books/${daybook.bookId}/transactions?query=Dentist`);
  expect(posted.items[0]).toMatchObject({ posted: true, amount: '120.00' });
  await page.keyboard.press('z');
  await expect(grid.getByRole('row', { name: /Dentist/ })).toContainText('Post');
  expect(problems).toEqual([]);
});

test('[17] a change of an outdated draft shows both versions, and what was typed stays', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/b/${daybook.bookId}/drafts`);
  const grid = page.getByRole('grid', { name: 'Due drafts' });
  await grid.getByRole('row', { name: /garden centre/ }).click();
  const description = grid.getByRole('textbox', { name: 'Description' });
  await expect(description).toHaveValue('Receipt from the garden centre');
  const { items } = await daybook.call('GET', `books/${daybook.bookId}/transactions?query=${encodeURIComponent("'garden centre'")}`);
  await daybook.call('PUT', `books/${daybook.bookId}/transactions`, { id: items[0].id, date: day(0), amount: '35.00', description: 'Receipt from the garden centre' });
  await description.fill('My own words');
  await description.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Two versions' });
  await expect(dialog).toContainText('35.00');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(description).toHaveValue('My own words');
  await description.press('Enter');
  await dialog.getByRole('radio', { name: '35.00' }).check();
  await dialog.getByRole('button', { name: 'Save the chosen values' }).click();
  await expect(grid.getByRole('row', { name: /My own words/ })).toContainText('35.00');
  expect(problems).toEqual([]);
});

test('[17] repetitions wait as upcoming drafts, and a change reaches the later ones', async ({ page, daybook, problems }) => {
  await page.goto(`${daybook.url}/b/${daybook.bookId}/drafts?tray=upcoming`);
  await expect(page.getByText('Nothing is planned')).toBeVisible();
  await page.keyboard.press('Shift+N');
  const form = page.getByRole('form', { name: 'Form' });
  await form.getByLabel('From').fill('checking');
  await page.keyboard.press('Tab');
  await form.getByLabel('To', { exact: true }).fill('rent');
  await page.keyboard.press('Tab');
  await form.getByLabel('Amount').fill('900');
  await form.getByLabel('Description').fill('rent by series');
  await form.getByRole('button', { name: 'Repeat' }).click();
  await form.getByLabel('Drafts').fill('3');
  await expect(form).toContainText('3 drafts:');
  await expectAccessible(page);
  await form.getByLabel('Drafts').press('Enter');
  await expect(page.getByText('Recorded 1 transaction and 3 drafts')).toBeVisible();
  await page.keyboard.press('Escape');

  const grid = page.getByRole('grid', { name: 'Upcoming drafts' });
  await expect(grid.getByRole('row', { name: /rent by series/ })).toHaveCount(3);
  await expectAccessible(page);
  await grid.getByRole('row', { name: /rent by series/ }).nth(1).click();
  await grid.getByRole('textbox', { name: 'Amount' }).fill('950');
  await grid.getByLabel('and later ones').check();
  await grid.getByRole('textbox', { name: 'Amount' }).press('Enter');
  await expect(page.getByText('Changed 2 drafts of the series')).toBeVisible();
  const { items } = await daybook.call('GET', `books/${daybook.bookId}/transactions?query=${encodeURIComponent("'rent by series'")}`);
  const sorted = [...items].sort((a: { date: string }, b: { date: string }) => a.date.localeCompare(b.date));
  expect(sorted.map(({ amount, posted }: { amount: string; posted: boolean }) => [amount, posted])).toEqual([['900.00', true], ['900.00', false], ['950.00', false], ['950.00', false]]);
  expect(new Set(items.map(({ properties }: { properties: { series: string } }) => properties.series)).size).toBe(1);
  expect(problems).toEqual([]);
});

test('[17] [20] legs of an entry are one line of the tray, and are posted and changed leg by leg', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, ['2026-03-01', '2026-04-01'].flatMap((date, month) => [
    { date, description: 'Flat', amount: '700.00', to: 'Rent', draft: true, properties: { series: 'flat', entry_id: `flat ${month}` } },
    { date, description: 'Flat', amount: '50.00', to: 'Fees', draft: true, properties: { series: 'flat', entry_id: `flat ${month}` } },
  ]));
  await page.goto(book.path('drafts'));
  const line = lineOf(page, 'Flat');
  await expect(line).toHaveCount(2);
  await expect(line.first()).toContainText('750.00');
  await line.filter({ hasText: '01/03/2026' }).getByRole('button', { name: '2 legs' }).click();
  await expect(line).toHaveCount(4);
  await expectAccessible(page);
  await line.filter({ hasText: 'Rent' }).click();
  const amount = page.getByRole('grid').getByRole('textbox', { name: 'Amount' });
  await amount.fill('720');
  await page.getByRole('grid').getByLabel('and later ones').check();
  await amount.press('Enter');
  await expect(page.getByText('Changed 2 drafts of the series')).toBeVisible();
  const amounts = async (to: string) => (await book.find(`account:${to}`)).map((row: { amount: string }) => row.amount);
  expect(await amounts('Rent')).toEqual(['720.00', '720.00']);
  expect(await amounts('Fees')).toEqual(['50.00', '50.00']);
  await moveTo(page, 'Rent');
  await page.keyboard.press('p');
  await expect(page.getByText('Posted 2 drafts')).toBeVisible();
  expect((await book.find('on:2026-03-01')).map((row: { posted: boolean }) => row.posted)).toEqual([true, true]);
  expect((await book.find('is:draft')).length).toBe(2);
  expect(problems).toEqual([]);
});

test('[17] [48] due drafts are posted together, also on a phone', async ({ page, daybook, problems }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${daybook.url}/b/${daybook.bookId}/drafts`);
  const grid = page.getByRole('grid', { name: 'Due drafts' });
  await grid.getByRole('row', { name: /Something in cash/ }).click();
  const card = page.getByRole('group', { name: 'Draft', exact: true });
  await expect(card).toBeVisible();
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
  await card.getByRole('button', { name: 'Leave the draft' }).click();
  await page.getByRole('button', { name: /^Post \d complete draft/ }).click();
  await expect(page.getByText(/^Posted \d draft/)).toBeVisible();
  await expect(grid.getByRole('row', { name: /Lunch/ })).toHaveCount(0);
  expect(problems).toEqual([]);
});
