/** Registers and lists: edits, bulk changes, merge, entries, trash. */
import { gridOf, lineOf, makeBook, moveTo, TODAY } from './lists';
import { expect, expectAccessible, test, settled } from './support';

test('[2] [3] [51] a register has opening row, running balance, sum and what is unchecked', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, [
    { description: 'Pay', amount: '100.00', from: 'Salary', to: 'Bank', date: '2026-02-10', checked: true },
    { description: 'Lunch', amount: '12.50', date: '2026-03-02' },
    { description: 'Dinner', amount: '20.00', date: '2026-03-03' },
  ]);
  await page.goto(book.path(`accounts/${book.account('Bank')}?period=2026-03`));
  const grid = gridOf(page, 'Register of Bank');
  await expect(grid).toContainText('Balance before 01/03/2026');
  await expect(lineOf(page, 'Balance before')).toContainText('100.00');
  await expect(lineOf(page, 'Lunch').locator('.tx-balance')).toHaveText('87.50');
  await expect(lineOf(page, 'Dinner').locator('.tx-balance')).toHaveText('67.50');
  await expect(page.getByRole('link', { name: '2 unchecked' })).toBeVisible();
  await page.getByRole('link', { name: '2 unchecked' }).click();
  await expect(page).toHaveURL(/q=is:unchecked/);
  await expectAccessible(page);
  expect(problems).toEqual([]);
});

test('[11] rows are edited in place: Enter saves and moves on, Escape restores, z takes back', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, [{ description: 'Second' }, { description: 'First', date: '2026-03-02' }]);
  await page.goto(book.path('transactions'));
  await moveTo(page, 'First');
  await page.keyboard.press('e');
  const field = page.getByRole('textbox', { name: 'Description' });
  await expect(field).toBeFocused();
  await field.fill('First, corrected #new');
  await page.keyboard.press('Tab');
  await page.getByRole('combobox', { name: 'From' }).fill('cas');
  await page.keyboard.press('Tab');
  await page.getByRole('combobox', { name: 'To' }).fill('ren');
  await page.keyboard.press('Tab');
  await page.getByRole('textbox', { name: 'Amount' }).fill('3*4+0.50');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  // The next row is edited now.
  await expect(field).toHaveValue('Second');
  await field.fill('Typed by mistake');
  await page.keyboard.press('Escape');
  await expect(field).toHaveCount(0);
  await expect(lineOf(page, 'Second')).toHaveCount(1);
  const [first] = await book.find('#new');
  expect(first).toMatchObject({ description: 'First, corrected #new', amount: '12.50', creditAccount: { name: 'Cash' }, debitAccount: { name: 'Rent' } });
  await page.keyboard.press('z');
  await expect(lineOf(page, 'First')).toContainText('Food');
  expect((await book.find('First'))[0]).toMatchObject({ description: 'First', amount: '10.00', creditAccount: { name: 'Bank' } });
  expect(problems).toEqual([]);
});

test('[11] in a register the sign of the amount decides about the direction', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, [{ description: 'Refund' }]);
  await page.goto(book.path(`accounts/${book.account('Bank')}`));
  await moveTo(page, 'Refund');
  await expect(lineOf(page, 'Refund').locator('.tx-amount')).toHaveText('−10.00');
  await page.keyboard.press('e');
  await page.getByRole('textbox', { name: 'Amount' }).fill('15');
  await page.keyboard.press('Enter');
  await expect(lineOf(page, 'Refund').locator('.tx-amount')).toHaveText('15.00');
  expect((await book.find('Refund'))[0]).toMatchObject({ creditAccount: { name: 'Food' }, debitAccount: { name: 'Bank' }, amount: '15.00' });
  expect(problems).toEqual([]);
});

test('[11] an edit on an outdated version shows both and saves the chosen values', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, [{ description: 'Shared' }]);
  await page.goto(book.path('transactions'));
  await moveTo(page, 'Shared');
  await page.keyboard.press('e');
  await settled(page);
  await daybook.call('PUT', `${book.at}/transactions`, { id: book.rows[0]!.id, amount: '99.00', description: 'Theirs' });
  await page.getByRole('textbox', { name: 'Description' }).fill('Mine');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Two versions' });
  await expect(dialog).toContainText('99.00');
  await expectAccessible(page);
  await dialog.getByRole('radio', { name: '99.00' }).check();
  await dialog.getByRole('button', { name: 'Save the chosen values' }).click();
  await expect(dialog).toHaveCount(0);
  await expect.poll(async () => (await book.find(''))[0]).toMatchObject({ description: 'Mine', amount: '99.00' });
  expect(problems).toEqual([]);
});

test('[11] an edit of a checked row on an outdated version shows both', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, [{ description: 'Agreed' }]);
  await daybook.call('PATCH', `${book.at}/transactions/check/batch`, { items: [{ id: book.rows[0]!.id }] });
  await page.goto(book.path('transactions'));
  await moveTo(page, 'Agreed');
  await page.keyboard.press('e');
  await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click();
  await settled(page);
  await daybook.call('PUT', `${book.at}/transactions/batch?updateChecked=true`, { items: [{ id: book.rows[0]!.id, amount: '99.00' }] });
  await page.getByRole('textbox', { name: 'Description' }).fill('Mine');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Two versions' });
  await expect(dialog).toContainText('99.00');
  await dialog.getByRole('radio', { name: '99.00' }).check();
  await dialog.getByRole('button', { name: 'Save the chosen values' }).click();
  await expect(dialog).toHaveCount(0);
  await expect.poll(async () => (await book.find(''))[0]).toMatchObject({ description: 'Mine', amount: '99.00', checked: true });
  expect(problems).toEqual([]);
});

test('[16] d duplicates to today, and z takes it back', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, [{ description: 'Monthly', properties: { shop: 'Nino' }, remoteIds: ['bank-1'] }]);
  await page.goto(book.path('transactions'));
  await moveTo(page, 'Monthly');
  await page.keyboard.press('d');
  await expect(lineOf(page, 'Monthly')).toHaveCount(2);
  const [copy] = await book.find(`on:${TODAY}`);
  expect(copy).toMatchObject({ date: TODAY, amount: '10.00', posted: true, remoteIds: [] });
  expect(copy.properties).toMatchObject({ shop: 'Nino' });
  await page.keyboard.press('z');
  await expect(lineOf(page, 'Monthly')).toHaveCount(1);
  expect(problems).toEqual([]);
});

test('[18] [23] c checks and unchecks with one key, p posts drafts, and z undoes each step', { tag: '@short' }, async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, [{ description: 'Posted' }, { description: 'Waiting', draft: true, date: '2026-03-05' }]);
  await page.goto(book.path('transactions'));
  await moveTo(page, 'Posted');
  await page.keyboard.press('c');
  await expect(lineOf(page, 'Posted').getByRole('button', { name: 'Checked' })).toBeVisible();
  await expect.poll(async () => (await book.find('is:checked')).length).toBe(1);
  await page.keyboard.press('c');
  await expect.poll(async () => (await book.find('is:checked')).length).toBe(0);
  await page.keyboard.press('z');
  await expect.poll(async () => (await book.find('is:checked')).length).toBe(1);
  await moveTo(page, 'Waiting');
  await page.keyboard.press('p');
  await expect.poll(async () => (await book.find('is:draft')).length).toBe(0);
  await page.keyboard.press('z');
  await expect.poll(async () => (await book.find('is:draft')).length).toBe(1);
  await page.keyboard.press('z');
  await expect.poll(async () => (await book.find('is:checked')).length).toBe(0);
  await expect(lineOf(page, 'Waiting')).toHaveCount(1);
  expect(problems).toEqual([]);
});

test('[20] legs of an entry are one line with their sum, and actions take all legs or none', async ({ page, daybook, problems }) => {
  const entry = { properties: { entry_id: 'x/1' } };
  const book = await makeBook(daybook, [
    { description: 'Payment', amount: '100.00', to: 'Rent', ...entry }, { description: 'Payment', amount: '2.00', to: 'Fees', ...entry },
    { description: 'Other', amount: '5.00', date: '2026-03-02' },
  ]);
  await page.goto(book.path('transactions'));
  await expect(lineOf(page, 'Payment')).toHaveCount(1);
  await expect(lineOf(page, 'Payment')).toContainText('102.00');
  await expect(lineOf(page, 'Payment')).toContainText('2 accounts');
  await moveTo(page, 'Payment');
  await page.keyboard.press('ArrowRight');
  await expect(lineOf(page, 'Payment')).toHaveCount(3);
  await expectAccessible(page);
  await page.keyboard.press('ArrowLeft');
  await expect(lineOf(page, 'Payment')).toHaveCount(1);
  await page.keyboard.press('c');
  await expect.poll(async () => (await book.find('is:checked')).length).toBe(2);
  await page.keyboard.press('z');
  await expect.poll(async () => (await book.find('is:checked')).length).toBe(0);

  // A register that shows one leg alone takes the other one along.
  await page.goto(book.path(`accounts/${book.account('Fees')}`));
  await moveTo(page, 'Payment');
  await page.keyboard.press('#');
  await expect.poll(async () => (await book.find('is:trashed')).length).toBe(2);
  await page.keyboard.press('z');
  await expect(lineOf(page, 'Payment')).toHaveClass(/is-cursor/);
  await page.keyboard.press('t');
  await page.getByRole('textbox', { name: 'Hashtags' }).fill('#rent');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await book.find('#rent')).length).toBe(2);
  await expect(page.getByRole('form', { name: 'Hashtags' })).toHaveCount(0);

  // The accounts are what legs differ in: the other leg keeps its own.
  await page.keyboard.press('Shift+A');
  const bar = page.getByRole('region', { name: 'Selection' });
  await bar.getByRole('combobox', { name: 'To' }).fill('Card');
  await page.keyboard.press('Tab');
  await bar.getByRole('button', { name: 'Apply' }).click();
  await expect.poll(async () => (await book.find('account:Card')).length).toBe(1);
  expect(await book.find('account:Rent')).toMatchObject([{ amount: '100.00' }]);
  await page.keyboard.press('z');
  await expect.poll(async () => (await book.find('account:Card')).length).toBe(0);

  // In the register of the common account the line has the sum and one balance.
  await page.goto(book.path(`accounts/${book.account('Bank')}`));
  await expect(lineOf(page, 'Payment')).toHaveCount(1);
  await expect(lineOf(page, 'Payment').locator('.tx-amount')).toHaveText('−102.00');
  await expect(lineOf(page, 'Payment').locator('.tx-balance')).toHaveText('−102.00');
  expect(problems).toEqual([]);
});

test('[21] [23] many rows are selected, tagged, moved, checked and trashed at once, and undone', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, Array.from({ length: 6 }, (_, at) => ({ description: `Row ${at}`, date: `2026-03-0${at + 1}` })));
  await page.goto(book.path('transactions'));
  await moveTo(page, 'Row 5');
  await page.keyboard.press('x');
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('j');
  await page.keyboard.press('Shift+X');
  const bar = page.getByRole('region', { name: 'Selection' });
  await expect(bar).toContainText('4 rows');
  await expect(bar).toContainText('40.00');
  await page.keyboard.press('t');
  await bar.getByRole('textbox', { name: 'Hashtags' }).fill('trip old');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await book.find('#trip #old')).length).toBe(4);
  await expect(bar.getByRole('textbox', { name: 'Hashtags' })).toBeHidden();
  await page.keyboard.press('t');
  await bar.getByRole('textbox', { name: 'Hashtags' }).fill('-old');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await book.find('#old')).length).toBe(0);
  await expect(bar.getByRole('textbox', { name: 'Hashtags' })).toBeHidden();

  await page.keyboard.press('Shift+A');
  await bar.getByRole('combobox', { name: 'To' }).fill('rent');
  await page.keyboard.press('Tab');
  await bar.getByRole('button', { name: 'Apply' }).click();
  await expect.poll(async () => (await book.find('to:Rent')).length).toBe(4);
  await page.keyboard.press('Shift+D');
  await bar.getByRole('textbox', { name: 'Date' }).fill('15/04/2026');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await book.find('on:2026-04-15')).length).toBe(4);
  // A key before the page has the answer is text of the field.
  await expect(bar.getByRole('textbox', { name: 'Date' })).toBeHidden();
  await page.keyboard.press('c');
  await expect.poll(async () => (await book.find('is:checked')).length).toBe(4);
  for (const [query, count] of [['is:checked', 0], ['on:2026-04-15', 0], ['to:Rent', 0], ['#old', 4], ['#trip', 0]] as const) {
    await page.keyboard.press('z');
    await expect.poll(async () => (await book.find(query)).length).toBe(count);
  }
  await page.keyboard.press('#');
  await expect.poll(async () => (await book.find('is:trashed')).length).toBe(4);
  await page.keyboard.press('z');
  await expect.poll(async () => (await book.find('is:trashed')).length).toBe(0);
  expect(problems).toEqual([]);
});

test('[21] a bulk change that one row refuses changes none', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, [{ description: 'Free', date: '2026-03-02' }, { description: 'Same', to: 'Rent' }]);
  await page.goto(book.path('transactions'));
  await expect(lineOf(page, 'Free')).toBeVisible();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Shift+A');
  const bar = page.getByRole('region', { name: 'Selection' });
  await bar.getByRole('combobox', { name: 'From' }).fill('rent');
  await page.keyboard.press('Tab');
  await expect(bar).toContainText('The same account on both sides');
  await expect(bar.getByRole('button', { name: 'Apply' })).toBeDisabled();
  expect((await book.find('from:Rent')).length).toBe(0);
  expect(problems).toEqual([]);
});

test('[22] two rows are merged with a choice for each field, and z restores both', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, [
    { description: 'Nino', amount: '80.00', remoteIds: ['bank-7'], date: '2026-03-01' },
    { description: 'Dinner with Ada', amount: '82.00', to: 'Rent', date: '2026-03-02', urls: ['https://example.com/r'] },
  ]);
  await page.goto(book.path('transactions'));
  await expect(lineOf(page, 'Nino')).toBeVisible();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('m');
  const dialog = page.getByRole('dialog', { name: 'Merge two transactions' });
  await dialog.getByRole('radio', { name: '82.00' }).check();
  await dialog.getByRole('radio', { name: 'Nino' }).check();
  await dialog.getByRole('radio', { name: 'Food' }).check();
  await dialog.getByRole('radio', { name: '02/03/2026' }).check();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Merge' }).click();
  await expect(dialog).toHaveCount(0);
  await expect.poll(async () => (await book.find('')).length).toBe(1);
  const [merged] = await book.find('');
  expect(merged).toMatchObject({ description: 'Nino', amount: '82.00', date: '2026-03-02', debitAccount: { name: 'Food' }, urls: ['https://example.com/r'] });
  expect(merged.remoteIds).toContain('bank-7');
  await page.keyboard.press('z');
  await expect(lineOf(page, 'Dinner with Ada')).toHaveCount(1);
  await expect.poll(async () => (await book.find('')).length).toBe(2);
  expect(problems).toEqual([]);
});

test('[24] the trash lists what was thrown away and restores it', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, [{ description: 'Keep' }, { description: 'Throw <b>away</b>', checked: true, date: '2026-03-02' }]);
  await page.goto(book.path('transactions'));
  await moveTo(page, 'Throw');
  await page.keyboard.press('#');
  await page.getByRole('dialog', { name: 'The transaction is checked' }).getByRole('button', { name: 'Trash' }).click();
  await expect(lineOf(page, 'Throw')).toHaveCount(0);
  await page.getByRole('link', { name: 'Trash', exact: true }).click();
  await expect(lineOf(page, 'Throw <b>away</b>')).toHaveCount(1);
  await expectAccessible(page);
  await moveTo(page, 'Throw');
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'Transaction' }).getByRole('button', { name: 'Restore' }).click();
  await expect(lineOf(page, 'Throw')).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'The trash is empty' })).toBeVisible();
  expect((await book.find('is:checked')).length).toBe(1);
  expect(problems).toEqual([]);
});

test('[46] a checked row is changed after one question, and a locked one is reversed', async ({ page, daybook, problems }) => {
  const book = await makeBook(
    daybook,
    [{ description: 'Old', date: '2026-01-15', checked: true }, { description: 'New', date: '2026-03-15', checked: true }],
    { lockDate: '2026-01-31' },
  );
  await page.goto(book.path('transactions'));
  await expect(page.getByText('Locked up to 31/01/2026')).toBeVisible();
  await moveTo(page, 'New');
  await page.keyboard.press('e');
  const question = page.getByRole('dialog', { name: 'The transaction is checked' });
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Change' }).click();
  await page.getByRole('textbox', { name: 'Description' }).fill('New, corrected');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await book.find('corrected is:checked')).length).toBe(1);
  // It asks once.
  await moveTo(page, 'New');
  await page.keyboard.press('e');
  await expect(page.getByRole('textbox', { name: 'Description' })).toBeVisible();
  await page.keyboard.press('Escape');

  await moveTo(page, 'Old');
  await expect(lineOf(page, 'Old').getByRole('img', { name: 'Checked, locked' })).toBeVisible();
  await page.keyboard.press('e');
  await page.getByRole('alert').getByRole('button', { name: 'Reverse' }).click();
  await expect(lineOf(page, 'Reversal: Old')).toContainText('01/02/2026');
  const [reversal] = await book.find('reverses:*');
  expect(reversal).toMatchObject({ date: '2026-02-01', creditAccount: { name: 'Food' }, debitAccount: { name: 'Bank' }, properties: { reverses: book.rows[0]!.id } });
  await expect(lineOf(page, 'Reversal: Old').getByRole('link', { name: 'Reverses another transaction' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Reversed by another transaction' })).toBeVisible();
  expect(problems).toEqual([]);
});

test('upcoming drafts of a series are hidden until asked for', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, [{ description: 'Now' }, { description: 'Later', date: '2099-01-01', draft: true, properties: { series: 's1' } }]);
  await page.goto(book.path(`accounts/${book.account('Bank')}`));
  await expect(lineOf(page, 'Now')).toBeVisible();
  await expect(lineOf(page, 'Later')).toHaveCount(0);
  await page.getByRole('checkbox', { name: 'Show 1 upcoming' }).check();
  await expect(lineOf(page, 'Later')).toBeVisible();
  await expect(page).toHaveURL(/upcoming=1/);
  expect(problems).toEqual([]);
});

test('a change of a repeated draft is offered to the later ones', async ({ page, daybook, problems }) => {
  const series = { draft: true, properties: { series: 'gym' } };
  const book = await makeBook(daybook, ['2026-05-01', '2026-06-01', '2026-07-01'].map((date) => ({ description: 'Gym', date, ...series })));
  await page.goto(book.path('transactions?q=is:draft&period=2026-06'));
  await moveTo(page, 'Gym');
  await page.keyboard.press('e');
  await page.getByRole('textbox', { name: 'Amount' }).fill('33');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Change later ones too' }).click();
  await expect.poll(async () => (await book.find('amount=33')).map(({ date }: { date: string }) => date)).toEqual(['2026-07-01', '2026-06-01']);
  expect(problems).toEqual([]);
});

test('[48] lists and the panel work at 360 pixels in the dark theme', async ({ page, daybook, problems }) => {
  const entry = { properties: { entry_id: 'x/2' } };
  const book = await makeBook(daybook, [{ description: 'Payment', to: 'Rent', ...entry }, { description: 'Payment', to: 'Fees', ...entry }, { description: 'Lunch', date: '2026-03-09' }]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(book.path('transactions'));
  await lineOf(page, 'Lunch').click();
  const panel = page.getByRole('complementary', { name: 'Transaction' });
  await expect(panel.getByRole('textbox', { name: 'Description' })).toHaveValue('Lunch');
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(overflow).toBe(0);
  await expectAccessible(page);
  expect(problems).toEqual([]);
});
