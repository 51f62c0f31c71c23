/** The administration of the installation: users, invitations and what needs attention. */
import { download } from './lists';
import { expect, expectAccessible, test } from './support';

test.use({ server: { args: ['--administrators', 'ada@example.com'], rows: 20 }, suite: 'administration' });

test('an administrator disables and enables a user', async ({ page, browser, daybook, problems }) => {
  const other = await (await browser.newContext()).newPage();
  await daybook.signIn(other, 'bob@example.com');
  await page.goto(`${daybook.url}/b/${daybook.bookId}/transactions`);
  await page.getByRole('button', { name: /^You:/ }).click();
  await page.getByRole('menuitem', { name: 'Administration' }).click();
  await expect(page).toHaveURL(/\/administration$/);
  await expect(page.getByText('There is no backup yet')).toBeVisible();
  const users = page.getByRole('table', { name: 'Users' });
  await expect(users.getByRole('row', { name: /ada@example.com/ })).toContainText('administrator');
  await expect(users.getByRole('button', { name: 'Disable ada@example.com' })).toHaveCount(0);
  const row = users.getByRole('row', { name: /bob@example.com/ });
  await expect(row).toContainText('just now');
  await expectAccessible(page);

  await row.getByRole('button', { name: 'Disable bob@example.com' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disable the user' }).click();
  await expect(row).toContainText('disabled');
  await expectAccessible(page);
  await other.goto(`${daybook.url}/me`);
  await expect(other.getByRole('link', { name: 'Sign in' }).or(other.getByRole('button', { name: /Sign in/ }))).toBeVisible();
  await row.getByRole('button', { name: 'Enable bob@example.com' }).click();
  await expect(row).not.toContainText('disabled');

  await page.getByLabel('Find an e-mail address').fill('bob@example.com');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/email=bob/);
  await expect(users.getByRole('row')).toHaveCount(2);
  expect((await download(page, 'the users')).text).toMatch(/^id,email,[^\r]*\r\n[^\r]*,bob@example\.com,[^\r]*,user,active,[^\r]*\r\nend,1,/);
  await page.getByRole('button', { name: 'Show all users' }).click();
  await expect(users.getByRole('row', { name: /ada@example.com/ })).toBeVisible();
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
  await expectAccessible(page);
  await other.context().close();
  expect(problems).toEqual([]);
});

test('[45] an administrator hands over an invitation link', async ({ page, browser, daybook, problems }) => {
  await page.goto(`${daybook.url}/administration`);
  await page.getByLabel('E-mail address of the new user').fill('new@example.com');
  await page.getByRole('button', { name: 'Make an invitation link' }).click();
  const link = await page.getByRole('textbox', { name: 'Invitation link' }).inputValue();
  await expect(page.getByRole('img', { name: /QR code/ })).toBeVisible();
  await expectAccessible(page);
  const guest = await (await browser.newContext()).newPage();
  await guest.goto(link);
  await guest.getByRole('button').first().click();
  await guest.goto(`${daybook.url}/me`);
  await expect(guest.getByText('new@example.com')).toBeVisible();
  await guest.goto(`${daybook.url}/administration`);
  await expect(guest.getByRole('heading', { name: 'Only for administrators' })).toBeVisible();
  await expect(guest.getByRole('heading', { name: 'Users' })).toHaveCount(0);
  await expectAccessible(guest);
  await guest.context().close();
  expect(problems).toEqual([]);
});

test('the state of the server shows what needs attention', async ({ page, daybook, problems }) => {
  const now = Date.now();
  await page.route('**/v5/administration/status', (route) => route.fulfill({
    json: {
      version: '1.0.0',
      lastBackup: { finishedAt: String(now - 5 * 86_400_000), bytes: 5_000_000_000, place: 's3://backups/daybook' },
      unsentMails: [{ id: '1', recipient: 'carol@example.com', kind: 'invitation', createdAt: String(now), givenUpAt: String(now), reason: '550 no such mailbox' }],
      pausedApps: [{ agentId: 'tax-bot', bookId: daybook.bookId, pausedAt: String(now), cause: 'failing' }],
      auditsWithFindings: [{ bookId: daybook.bookId, sequence: 7, findings: 2, auditedAt: String(now) }],
    },
  }));
  await page.goto(`${daybook.url}/administration`);
  await expect(page.getByText('The last backup was made 5 days ago')).toBeVisible();
  await expect(page.getByText('1 mail was not sent. 1 app is paused. 1 audit has findings.')).toBeVisible();
  await expect(page.getByRole('row', { name: /carol@example.com/ })).toContainText('550 no such mailbox');
  await expect(page.getByRole('row', { name: /tax-bot/ })).toContainText('failed for days');
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
  await expectAccessible(page);
  expect(problems).toEqual([]);
});
