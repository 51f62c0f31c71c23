import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { makeBook } from './lists';
import { expect, expectAccessible, settled, test } from './support';

/** A file of the cases that the readers are tested with, under the name that a bank gives it. */
const caseFile = (name: string, as: string, change = (text: string) => text) => ({
  name: as, mimeType: 'application/octet-stream', buffer: Buffer.from(change(readFileSync(new URL(`../../crates/interchange/tests/cases/${name}/input`, import.meta.url), 'utf8'))),
});
const csv = (name: string, ...lines: string[]) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(`${lines.join('\n')}\n`) });

const drop = async (page: Page, file: ReturnType<typeof csv>) => {
  await page.getByLabel('Choose a file to import').setInputFiles(file);
  await expect(page).toHaveURL(/\/imports\/[0-9a-f]{16}/);
};
const records = (page: Page) => page.getByRole('grid', { name: /ecords$/ });
const record = (page: Page, text: string | RegExp) => records(page).getByRole('row').filter({ hasText: text });
const outcome = (page: Page, name: string) => page.getByRole('navigation', { name: 'Outcomes' }).getByRole('link', { name });
const numbered = (id: string, number: string) => ({ id, properties: { bank_account: number } });

test('[27] a statement of a bank is read, asked about once, corrected by keyboard and recorded', async ({ page, daybook, problems }) => {
  test.slow();
  const book = await makeBook(daybook, []);
  await page.goto(book.path('imports'));
  await expect(page.getByRole('heading', { name: 'How it works' })).toBeVisible();
  await expectAccessible(page);

  await drop(page, caseFile('18-preamble-and-totals', 'Umsaetze 1234.csv'));
  await expect(page.getByRole('heading', { name: 'One thing is not clear' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('combobox', { name: 'Account of 1234' }).fill('Ban');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Read the file' }).click();

  await expect(record(page, 'Miete')).toContainText('900.00');
  await expect(page.getByRole('region', { name: 'What was recognized' })).toContainText('CSV');
  await expect(outcome(page, 'New')).toContainText('2');
  await expect(record(page, 'Miete')).toContainText('No other account is known');
  await expect(page.getByText('2 accounts are created')).toBeVisible();
  await expectAccessible(page);

  // The account in the row, by completion; Enter saves and moves on.
  await outcome(page, 'New').click();
  await expect(page).toHaveURL(/outcome=NEW/);
  await records(page).focus();
  await page.keyboard.press('j');
  await page.keyboard.press('e');
  const account = page.getByRole('combobox', { name: 'Other account' });
  await expect(account).toBeFocused();
  await page.keyboard.type('ren');
  await page.keyboard.press('Enter');
  await expect(record(page, 'Miete')).toContainText('You chose the account');
  await expect(account).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(records(page)).toBeFocused();
  await page.keyboard.press('s');
  await expect(record(page, 'Lohn')).toContainText('Skipped');
  await expect(outcome(page, 'New')).toContainText('was 2');
  await page.keyboard.press('z');
  await expect(outcome(page, 'New')).not.toContainText('was');

  // Decisions survive a reload.
  await page.reload();
  await expect(record(page, 'Miete')).toContainText('Rent');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('2 recorded');
  await expectAccessible(page);
  expect((await book.find('account:Rent')).length).toBe(1);
  await page.getByRole('button', { name: 'Show the transactions' }).click();
  await expect(page.getByRole('grid', { name: 'Transactions' }).getByRole('row').filter({ hasText: 'Miete' })).toContainText('Rent');

  // The account has remembered its number, and the file adds nothing.
  await page.goto(book.path('imports'));
  await expect(page.getByRole('table').getByRole('row', { name: /Umsaetze 1234/ })).toContainText('Recorded');
  await drop(page, caseFile('18-preamble-and-totals', 'Umsaetze 1234.csv'));
  await expect(outcome(page, 'Already here')).toContainText('2');
  await expect(page.getByRole('button', { name: 'Finish' })).toBeVisible();
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(page).toHaveURL(/\/imports$/);
  expect(problems).toEqual([]);
});

test('[27] ambiguous dates are asked once, and bad records refuse themselves with their place', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, []);
  await page.goto(book.path(`imports?account=${book.account('Bank')}`));
  await drop(page, caseFile('26-csv-ambiguous-dates', 'export.csv'));
  await expect(page.getByRole('button', { name: 'Day first 03/04/2026 is 3 April' })).toBeVisible();
  await page.getByRole('button', { name: 'Month first 03/04/2026 is 4 March' }).click();
  await expect(record(page, '04/03/2026')).toContainText('New');

  await page.goto(book.path(`imports?account=${book.account('Bank')}`));
  await drop(page, caseFile('35-csv-bad-records-refuse-themselves', 'bad.csv'));
  await outcome(page, 'Refused').click();
  await expect(records(page).getByRole('row')).toHaveCount(6);
  await expect(record(page, 'Invalid amount "five"')).toHaveCount(1);
  await record(page, 'Invalid amount "five"').click();
  await expect(page.getByRole('complementary', { name: 'Record' })).toContainText('Line 4, column 14');
  await expectAccessible(page);
  expect(problems).toEqual([]);
});

test('[27] a CAMT statement proves its balance, and a difference is a red line', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, []);
  await daybook.call('PUT', `${book.at}/accounts`, numbered(book.account('Bank'), 'DE02'));
  await page.goto(book.path('imports'));
  await drop(page, caseFile('23-camt-charges', 'january.xml'));
  const statement = page.getByRole('region', { name: 'Statements' }).getByRole('row', { name: /DE02/ });
  await expect(statement).toContainText('1 record, balances agree');
  await expect(statement).toContainText('474.00');

  await page.goto(book.path('imports'));
  await drop(page, caseFile('23-camt-charges', 'cut.xml', (text) => text.replace('474.00', '400.00')));
  await expect(statement).toHaveClass(/is-different/);
  await expect(statement).toContainText('the file is not complete');
  await expect(statement).toContainText('74.00');
  await expectAccessible(page);
  expect(problems).toEqual([]);
});

const JOURNAL = csv('plan.journal', 'commodity $1.00', '', '2026-03-01 Shop', '    Expenses:Food  $5.125', '    Assets:Bank', '', '2026-03-02 Plan', '    (Budget:Food)  $20.00');

test('[27] a journal offers choices about virtual postings and decimal places, and both are recorded so', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, []);
  await page.goto(book.path('imports'));
  await drop(page, JOURNAL);
  const virtual = page.getByRole('combobox', { name: 'Virtual postings' });
  const raise = page.getByRole('checkbox', { name: 'Raise the decimal places of the book to those of the file' });
  await expect(virtual).toHaveValue('OWN_BOOK');
  await expect(raise).not.toBeChecked();
  await page.getByRole('button', { name: 'Record it in this book' }).click();
  await expect(virtual).toHaveValue('SAME_BOOK');
  await expect(outcome(page, 'All')).toContainText('2');
  await expect(record(page, 'the amount has 3 decimal places')).toContainText('Refused');
  await expectAccessible(page);

  // A reload loses the file, but not how it was read.
  await page.reload();
  await virtual.selectOption('Left out');
  await page.getByLabel('Choose a file to import').setInputFiles(JOURNAL);
  await expect(outcome(page, 'All')).toContainText('1');
  await expect(virtual).toHaveValue('SKIP');
  await expect(virtual.getByRole('option')).toHaveText(['With the others', 'Left out']);
  await raise.click();
  await expect(record(page, 'Shop')).toContainText('5.125');
  await expect(raise).toBeChecked();
  const unnamed = page.url();
  const source = page.getByRole('textbox', { name: 'Source' });
  await expect(source).toHaveAttribute('placeholder', 'journal');
  await source.fill('household');
  await page.getByRole('button', { name: 'Read the file again' }).click();
  await expect(page).not.toHaveURL(unnamed);
  await expect(source).toHaveValue('household');
  await page.getByText('2 warnings about the file').click();
  await expect(page.getByText('raises fractionDigits from 2 to 3')).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('button', { name: /^Record 1/ }).click();
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('1 recorded');
  const [shop] = await book.find('Shop');
  expect(shop.amount).toBe('5.125');
  expect(shop.remoteIds[0]).toMatch(/^household:/);
  expect(await book.find('Plan')).toEqual([]);
  expect(problems).toEqual([]);
});

const HISTORY = [
  ...[1, 2, 3, 4, 5].map((day) => ({ description: 'NETFLIX', to: 'Fees', amount: '9.99', date: `2026-01-0${day}` })),
  ...[1, 2, 3].map((day) => ({ description: 'REWE', to: 'Food', amount: '20.00', date: `2026-01-0${day}` })),
];
const NEXT_MONTH = csv('march.csv', 'Date,Description,Amount', '2026-03-01,NETFLIX,-10.99', '2026-03-02,REWE,-33.10', '2026-03-03,KIOSK 17,-2.00');

test('[28] suggestions name their evidence, one key accepts those above the threshold, and a correction keeps a rule', async ({ page, daybook, problems }) => {
  test.slow();
  const book = await makeBook(daybook, HISTORY);
  await page.goto(book.path(`imports?account=${book.account('Bank')}`));
  await drop(page, NEXT_MONTH);
  await expect(record(page, 'NETFLIX')).toContainText(/5 of 5 earlier NETFLIX/);
  await expect(record(page, 'NETFLIX').getByRole('button', { name: 'Accept Fees, 100 % sure' })).toBeVisible();
  await expect(record(page, 'REWE')).toContainText('60 %');

  await records(page).focus();
  await page.keyboard.press('Shift+a');
  await expect(record(page, 'NETFLIX').getByRole('button')).toHaveCount(0);
  await expect(record(page, 'REWE').getByRole('button', { name: 'Accept Food, 60 % sure' })).toBeVisible();
  await expect(page.getByRole('checkbox', { name: 'Accept suggestions from' })).toBeChecked();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('a');
  await expect(record(page, 'REWE')).toContainText('You chose the account');

  // The rule of a correction is offered in the rules file of the account.
  await page.keyboard.press('j');
  await page.keyboard.press('e');
  await page.keyboard.type('food');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(record(page, 'KIOSK')).toContainText('You chose the account');
  await records(page).focus();
  await page.keyboard.press('l');
  const rules = page.getByRole('textbox', { name: 'Rules for tables of this account' });
  await expect(rules).toHaveValue(/fields date, description, amount[\s\S]*if kiosk\n {2}account2 Food/);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save and read again' }).click();
  await expect(record(page, 'KIOSK')).toContainText(/rule.*Food|Food.*rule/i);

  // The server names the line of a mistake, and the text is kept.
  await rules.fill('skip 1\nfields date, description, amount\ndecimal-mark x\n');
  await page.getByRole('button', { name: 'Save and read again' }).click();
  await expect(page.getByRole('complementary', { name: 'Rules' }).getByRole('alert')).toContainText('line 3');
  await expect(rules).toHaveValue(/decimal-mark x/);
  await rules.fill('skip 1\nfields date, description, amount\nif kiosk\n  account2 Food\n');
  await page.getByRole('button', { name: 'Save and read again' }).click();
  await expect(record(page, 'KIOSK')).toContainText(/Food.*rule/i);
  await page.getByRole('checkbox', { name: 'Accept suggestions from' }).check();
  await page.getByRole('button', { name: /^Record 3/ }).click();
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('3 recorded');
  expect((await book.find('account:Fees on:2026-03')).length).toBe(1);
  await expect(page.getByRole('link', { name: 'Review Uncategorised expenses' })).toBeVisible();
  expect(problems).toEqual([]);
});

test('[27] what the book has is matched, and a preview that was overtaken shows the differences', async ({ page, daybook }) => {
  const book = await makeBook(daybook, [{ description: 'Rewe groceries', amount: '33.10', date: '2026-03-02' }]);
  await page.goto(book.path(`imports?account=${book.account('Bank')}`));
  await drop(page, NEXT_MONTH);
  await expect(record(page, 'REWE')).toContainText('Matched');
  await record(page, 'REWE').getByRole('link').click();
  await expect(page.getByRole('complementary', { name: 'Transaction' })).toContainText('Rewe groceries');
  await page.getByRole('button', { name: 'Close the panel' }).click();

  await daybook.call('POST', `${book.at}/transactions/batch`, {
    items: [{ date: '2026-03-03', amount: '2.00', creditAccount: { name: 'Bank' }, debitAccount: { name: 'Food' }, description: 'Kiosk' }],
  });
  await settled(page);
  await page.getByRole('button', { name: /^Record 3/ }).click();
  const differences = page.getByRole('status', { name: 'Differences' });
  await expect(differences).toContainText('New → Matched');
  await expect(differences).toContainText('KIOSK 17');
  await expect(record(page, 'KIOSK')).toContainText('changed');
  await expectAccessible(page);
  await page.getByRole('button', { name: /^Record 3/ }).click();
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('1 recorded, 2 matched');
});

test('[29] a whole import is undone, and what was changed since stays and is listed', async ({ page, daybook, problems }) => {
  test.slow();
  const book = await makeBook(daybook, []);
  await daybook.call('PUT', `${book.at}/accounts`, numbered(book.account('Bank'), '1'));
  await page.goto(book.path('imports'));
  await drop(page, caseFile('06-ofx-repeated-fitid', 'statement.qfx'));
  await expect(page.getByRole('region', { name: 'What was recognized' })).toContainText('OFX 1.02');
  await page.getByRole('button', { name: /^Record 2/ }).click();
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('2 recorded');
  const [changed] = await book.find('FX FEE');
  await daybook.call('PUT', `${book.at}/transactions`, { id: changed.id, description: 'Fee abroad' });
  await settled(page);

  await page.getByRole('button', { name: 'Undo this import' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Undo the import' }).click();
  await expect(page.getByText('This import was undone.')).toBeVisible();
  await expect(page.getByText('1 transaction moved to the trash')).toBeVisible();
  const left = page.getByRole('list', { name: 'Left as they are' });
  await expect(left).toContainText('It was changed after the import');
  await left.getByRole('link').click();
  await expect(page.getByRole('complementary', { name: 'Transaction' })).toContainText('Fee abroad');
  await expectAccessible(page);
  expect((await book.find('account:Bank')).length).toBe(1);

  // It counts as never imported, and z takes a confirmation back as well.
  await page.goto(book.path('imports'));
  await drop(page, caseFile('06-ofx-repeated-fitid', 'statement.qfx'));
  await expect(outcome(page, 'New')).toContainText('1');
  await page.getByRole('button', { name: /^Record/ }).click();
  await expect(page.getByRole('region', { name: 'Result' })).toBeVisible();
  await page.keyboard.press('z');
  await expect(page.getByText('This import was undone.')).toBeVisible();
  expect(problems).toEqual([]);
});

test('[34] lists, registers and books are downloaded by a temporary address', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, HISTORY);
  const download = async (label: string) => {
    const started = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: label }).click();
    const file = await started;
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
  };
  await page.goto(book.path(`accounts/${book.account('Bank')}?q=netflix`));
  await expect(page.getByRole('grid').getByRole('row').nth(1)).toBeVisible();
  await page.getByRole('button', { name: 'Download' }).click();
  await expect(page.getByRole('menuitem', { name: 'ZIP' })).toHaveCount(0);
  const journal = await download('hledger');
  expect(journal.name).toMatch(/\.journal$/);
  expect(journal.text.match(/NETFLIX/g)).toHaveLength(5);
  expect(journal.text).not.toContain('REWE');

  await page.goto(book.path('settings'));
  await page.getByRole('button', { name: 'Download' }).click();
  expect((await download('JSON lines')).text).toContain('REWE');
  expect(problems).toEqual([]);
});

test('[27] [48] importing works at 360 pixels and in the dark theme', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, HISTORY);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 360, height: 740 });
  const fits = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await page.goto(book.path(`imports?account=${book.account('Bank')}`));
  await expect(page.getByRole('button', { name: 'Choose a file' })).toBeVisible();
  expect(await fits()).toBe(0);
  await expectAccessible(page);
  await drop(page, NEXT_MONTH);
  await expect(record(page, 'NETFLIX')).toBeVisible();
  expect(await fits()).toBe(0);
  await expectAccessible(page);
  await record(page, 'KIOSK').click();
  const panel = page.getByRole('complementary', { name: 'Record' });
  await panel.getByLabel('What happens').selectOption('SKIPPED');
  await panel.getByRole('button', { name: 'Save' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Close the panel' }).click();
  await expect(record(page, 'KIOSK')).toContainText('Skipped');
  expect(problems).toEqual([]);
});
