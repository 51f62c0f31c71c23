/** The lists that the browser writes as CSV, and the menus of views that use the server's files. */
import { download, downloadButton, makeBook, TODAY } from './lists';
import { expect, expectAccessible, test } from './support';

test.use({ suite: 'downloads' });

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
/** The records of a file without quoted fields. */
const recordsOf = (text: string, delimiter = ',') => text.replace(/\r\n$/, '').split('\r\n').map((line) => line.split(delimiter));

test('[34] the accounts are downloaded as a list, and as the trial balance of the server', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, [{ description: 'Food', amount: '12.50' }], { decimalSeparator: 'COMMA', fractionDigits: 2 });
  await page.goto(book.path('accounts'));
  await expect(page.getByRole('row', { name: /Food/ })).toContainText('12,50');
  const { name, text } = await download(page, 'the accounts');
  expect(name).toBe(`Lists accounts ${TODAY}.csv`);
  const [head, ...rows] = recordsOf(text);
  expect(head).toEqual(['id', 'kind', 'depth', 'name', 'type', 'state', 'reconciledThrough', 'minBalance', 'balance']);
  expect(rows.find(([, , , account]) => account === 'Food')!.slice(3)).toEqual(['Food', 'OUTGOING', '', '', '', '12.50']);
  expect(rows.find(([, , , account]) => account === 'Bank')!.slice(3)).toEqual(['Bank', 'ASSET', '', '', '', '-12.50']);
  expect(rows.at(-1)!.slice(0, 2)).toEqual(['end', String(rows.length - 1)]);

  const excel = (await download(page, 'the accounts', /^CSV for Excel/)).text;
  expect(excel.startsWith('\ufeffid;kind;')).toBe(true);
  expect(excel).toContain(';Bank;ASSET;;;;-12,50\r\n');
  const report = await download(page, 'the accounts', /^XLSX/);
  expect(report.name).toMatch(/^Lists Trial balance .*\.xlsx$/);
  expect(report.text.startsWith('PK')).toBe(true);
  await downloadButton(page, 'the accounts').click();
  await expectAccessible(page);
  expect(problems).toEqual([]);
});

test('[17] [34] each tray of drafts is downloaded by an export of the server', async ({ page, daybook, problems }) => {
  const draft = (description: string, date: string) => ({ description, date, draft: true });
  const book = await makeBook(daybook, [draft('Due today', TODAY), draft('Due long ago', day(-40)), draft('Upcoming', day(20)), { description: 'Posted', date: TODAY }]);
  await page.goto(book.path('drafts'));
  await expect(page.getByRole('row', { name: /Due today/ })).toBeVisible();
  const due = await download(page, '');
  expect(due.name).toBe(`Lists ${TODAY}.csv`);
  expect(recordsOf(due.text).map((row) => row[5])).toEqual(['description', 'Due long ago', 'Due today', '']);
  await page.getByRole('link', { name: /^Upcoming/ }).click();
  await expect(page.getByRole('row', { name: /Upcoming/ })).toBeVisible();
  expect(recordsOf((await download(page, '')).text).map((row) => row[5])).toEqual(['description', 'Upcoming', '']);
  expect(problems).toEqual([]);
});

test('[34] [40] the history is downloaded from all pages of its filters, and a long download is stopped', async ({ page, daybook, problems }) => {
  const rows = Array.from({ length: 230 }, (_, index) => ({ description: `Row ${index}` }));
  const book = await makeBook(daybook, rows);
  await daybook.call('PUT', `${book.at}/transactions`, { id: book.rows[0]!.id, description: 'Row 0, "renamed"' });
  await page.goto(book.path('history?type=TRANSACTION_POSTED'));
  await expect(page.getByRole('status').filter({ hasText: 'events' })).toBeVisible();
  const posted = await download(page, 'the history');
  expect(posted.name).toBe(`Lists history ${TODAY}.csv`);
  const [head, ...events] = recordsOf(posted.text);
  expect(head!.slice(0, 4)).toEqual(['sequence', 'createdAt', 'type', 'username']);
  expect(events.length).toBe(231);
  expect(events.at(-1)!.slice(0, 2)).toEqual(['end', '230']);
  expect(new Set(events.slice(0, -1).map(([, , type]) => type))).toEqual(new Set(['TRANSACTION_POSTED']));
  expect(events[0]![6]).toMatch(/^posted Row \d+ 10.00 from Bank to Food$/);

  await page.goto(book.path('history'));
  await expect(page.getByRole('status').filter({ hasText: 'events' })).toBeVisible();
  const all = (await download(page, 'the history')).text;
  expect(all).toContain('"description: Row 0 → Row 0, ""renamed"""');

  // The second page waits: the button shows what was read, and its menu ends the download.
  let release = () => {};
  const held = new Promise<void>((resolve) => { release = resolve; });
  await page.route('**/events?*limit=200*', async (route) => {
    if (route.request().headers()['cursor']) await held;
    await route.fallback().catch(() => {});
  });
  const saved: unknown[] = [];
  page.on('download', (file) => saved.push(file));
  await downloadButton(page, 'the history').click();
  await page.getByRole('menuitem', { name: /^CSV Plain/ }).click();
  const running = page.getByRole('button', { name: '200 read' });
  await expect(running).toBeVisible();
  await expectAccessible(page);
  await running.click();
  await page.getByRole('menuitem', { name: 'Stop the download' }).click();
  await expect(downloadButton(page, 'the history')).toBeVisible();
  release();
  await page.unrouteAll({ behavior: 'ignoreErrors' });

  // A page that cannot be read makes no file.
  await page.route('**/events?*limit=200*', (route) => route.fulfill({ status: 400, json: { error: { code: 400, message: 'The log is away.', errors: [{ reason: 'invalid' }] } } }));
  await downloadButton(page, 'the history').click();
  await page.getByRole('menuitem', { name: /^CSV Plain/ }).click();
  await expect(page.getByText(/The download failed\. The log is away/)).toBeVisible();
  expect(saved).toEqual([]);
  expect(problems).toEqual([]);
});

test('[19] [34] reconciliations and the rows of one are downloaded', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, [{ description: 'On it', amount: '7.00', date: '2026-03-02' }, { description: 'Not on it', amount: '1.00', date: '2026-03-03' }]);
  const [onIt] = await book.find("'On it'");
  await daybook.call('POST', `${book.at}/reconciliations`, { account: { id: book.account('Bank') }, date: '2026-03-31', closingBalance: '-7.00', add: [book.rows[0]!.id] });
  expect(onIt).toBeDefined();
  await page.goto(book.path('reconcile'));
  await expect(page.getByRole('table', { name: 'Earlier reconciliations' })).toContainText('Agrees');
  const list = await download(page, 'the reconciliations');
  expect(list.name).toBe(`Lists reconciliations ${TODAY}.csv`);
  const [, first, end] = recordsOf(list.text);
  expect(first!.slice(1, 8)).toEqual(['2026-03-31', 'Bank', '0.00', '-7.00', '-7.00', '0.00', '1']);
  expect(end!.slice(0, 2)).toEqual(['end', '1']);
  await expectAccessible(page);

  await page.getByRole('table', { name: 'Earlier reconciliations' }).getByRole('link').click();
  await expect(page.getByRole('grid').getByRole('row', { name: /Not on it/ })).toBeVisible();
  const rows = recordsOf((await download(page, 'the statement')).text);
  expect(rows.map((row) => row.slice(1))).toEqual([
    ['date', 'description', 'otherAccount', 'amount', 'onStatement'],
    ['2026-03-02', 'On it', 'Food', '-7.00', 'yes'], ['2026-03-03', 'Not on it', 'Food', '-1.00', 'no'], ['2', '', '', '', ''],
  ]);
  expect(problems).toEqual([]);
});

test('[34] the budget is downloaded as a grid, and as the income statement of the server', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, [{ description: 'Lunch', amount: '12.50', date: '2026-03-02' }]);
  await page.goto(book.path('budget?period=2026-03'));
  await page.getByLabel('Begin with last year').uncheck();
  await page.getByRole('button', { name: 'Create the budget' }).click();
  await expect(page.getByRole('rowheader', { name: 'Food' })).toBeVisible();
  const { name, text } = await download(page, 'the budget');
  expect(name).toBe(`Lists budget ${TODAY}.csv`);
  const [head, ...rows] = recordsOf(text);
  expect(head!.slice(5)).toEqual(['2026-03 budget', '2026-03 actual', 'budget', 'actual', 'left']);
  const food = rows.find(([kind, , account]) => kind === 'account' && account === 'Food')!;
  expect(food.slice(6).map(Number)).toEqual([12.5, 0, 12.5, -12.5]);
  const report = await download(page, 'the budget', /^XLSX/);
  expect(report.name).toBe('Lists Income statement 1 to 31 March 2026.xlsx');
  expect(report.text.startsWith('PK')).toBe(true);
  await expectAccessible(page);
  expect(problems).toEqual([]);
});

test('[27] [34] imports, their records and the stored report are downloaded', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, []);
  await page.goto(book.path(`imports?account=${book.account('Bank')}`));
  const lines = ['Date,Description,Amount', '2026-03-02,Rent,-900.00', '2026-03-03,"Wages, March",2000.00', '2026-03-04,Bad,five'];
  await page.getByLabel('Choose a file to import').setInputFiles({ name: 'march.csv', mimeType: 'text/csv', buffer: Buffer.from(`${lines.join('\n')}\n`) });
  await expect(page.getByRole('row', { name: /Rent/ })).toBeVisible();
  const preview = await download(page, 'the records');
  expect(preview.name).toBe(`Lists records ${TODAY}.csv`);
  expect(preview.text).toMatch(/\r\n1,2,NEW,No other account is known,2026-03-02,-900\.00,Rent,Bank,[^,]*,\r\n/);
  expect(preview.text).toContain('"Wages, March"');
  await page.getByRole('link', { name: /^Refused/ }).click();
  await expect(page.getByRole('row', { name: /five/ })).toBeVisible();
  const refused = recordsOf((await download(page, 'the records')).text);
  expect(refused.map(([record]) => record)).toEqual(['record', '3', 'end']);

  await page.getByRole('button', { name: /^Record 2/ }).click();
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('2 recorded');
  const started = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Report', exact: true }).click();
  expect((await started).suggestedFilename()).toBe('march.csv report.csv');
  await page.getByRole('button', { name: 'Undo this import' }).click();
  await page.getByRole('button', { name: 'Undo the import' }).click();
  await expect(page.getByRole('region', { name: 'Result of the undo' }).getByRole('button', { name: 'Report', exact: true })).toBeVisible();

  await page.goto(book.path('imports'));
  await expect(page.getByRole('table').getByRole('row', { name: /march/ })).toBeVisible();
  const list = recordsOf((await download(page, 'the imports')).text);
  expect(list[1]!.slice(1, 3)).toEqual(['march.csv', 'UNDONE']);
  expect(list[2]!.slice(0, 2)).toEqual(['end', '1']);
  expect(problems).toEqual([]);
});

test('[34] books, collections, people and access are downloaded from their lists', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, [{ description: 'Lunch', amount: '12.50' }]);
  const collection = await daybook.call('POST', 'collections', { name: 'Family' });
  await daybook.call('PATCH', `collections/${collection.id}/books/add`, { items: [{ id: book.id }] });
  const lists: readonly (readonly [path: string, what: string, text: RegExp])[] = [
    [`${daybook.url}/books`, 'the books', /,Lists,EUR,Family,OWNER,/],
    [`${daybook.url}/collections`, 'the collections', /,Family,/],
    [`${daybook.url}/collections/${collection.id}?period=2026`, 'the figures of Family 2026', /,Lists,EUR,-12\.50,0(\.00)?,-12\.50,0(\.00)?,12\.50,-12\.50\r\n/],
    [book.path(''), 'the figures by month', /^month,income,expenses,result,netWorth\r\n/],
    [book.path('people'), 'the collaborators', /,ada@example\.com,OWNER,/],
    [`${daybook.url}/me/devices`, 'the sessions', /,link,/],
  ];
  for (const [path, what, text] of lists) {
    await page.goto(path);
    await expect(downloadButton(page, what)).toBeVisible();
    if (what.startsWith('the figures of')) await expect(page.getByRole('cell', { name: '12.50', exact: true })).toBeVisible();
    const file = await download(page, what);
    expect(file.text, what).toMatch(text);
    expect(file.text, what).toMatch(/\r\nend,\d+,*\r\n$/);
    await expectAccessible(page);
  }
  expect(problems).toEqual([]);
});

test('[34] a recorder, who may not export, downloads what the list shows', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, [{ description: 'Of the owner' }]);
  await daybook.call('POST', `${book.at}/collaborators`, { email: 'rec@example.com', permission: 'RECORDER' });
  await daybook.signIn(page, 'rec@example.com');
  await page.goto(book.path('transactions?entry=line'));
  await page.getByRole('combobox', { name: 'New transaction' }).fill('12.50 mine');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('row', { name: /mine/ })).toBeVisible();
  const { text } = await download(page, 'the transactions');
  expect(text).toMatch(/^id,date,amount,creditAccount,/);
  expect(text).toContain(',mine,draft,');
  expect(text).not.toContain('Of the owner');
  expect(problems).toEqual([]);
});

test('[34] [48] the menus fit 360 pixels in the dark theme', async ({ page, daybook, problems }) => {
  const book = await makeBook(daybook, [{ description: 'Lunch', amount: '12.50' }, { description: 'Open', date: TODAY, draft: true }]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 360, height: 740 });
  for (const [view, what] of [['drafts', ''], ['accounts', 'the accounts'], ['history', 'the history']] as const) {
    await page.goto(book.path(view));
    await downloadButton(page, what).click();
    await expect(page.getByRole('menuitem', { name: /^CSV for Excel/ })).toBeInViewport({ ratio: 1 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    await expectAccessible(page);
  }
  expect(problems).toEqual([]);
});
