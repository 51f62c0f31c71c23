/** Sharing between two people in two sessions: the owner and somebody who is added, asks, and takes over. */
import type { Browser, Page } from '@playwright/test';
import { expect, expectAccessible, test, type Daybook } from './support';

async function secondPerson(browser: Browser, daybook: Daybook, email: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await daybook.signIn(page, email);
  return page;
}

const newBook = async (daybook: Daybook, name: string): Promise<string> =>
  (await daybook.call('POST', 'books', { name, datePattern: 'dd/MM/yyyy', decimalSeparator: 'DOT', fractionDigits: 2, timeZone: 'UTC' })).id;

test('[45] a book is shared by e-mail, and the permission is changed, removed and restored by undo', async ({ page, browser, daybook, problems }) => {
  const bookId = await newBook(daybook, 'Shared household');
  const bob = await secondPerson(browser, daybook, 'bob@example.com');
  await page.goto(`${daybook.url}/b/${bookId}/people`);
  await expect(page.getByText('Nobody else works in this book yet')).toBeVisible();
  await page.getByLabel('E-mail address', { exact: true }).fill('bob');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByText('An address looks like')).toBeVisible();
  await page.getByLabel('E-mail address', { exact: true }).fill('bob@example.com');
  await page.getByLabel('Message in the invitation').fill('Our <b>books</b>');
  await expectAccessible(page);
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByRole('row', { name: /bob@example.com/ })).toBeVisible();

  await bob.goto(`${daybook.url}/b/${bookId}/people`);
  await expect(bob.getByRole('row', { name: /bob@example.com you Can view/ })).toBeVisible();
  await expect(bob.getByRole('button', { name: 'Share', exact: true })).toHaveCount(0);
  await expectAccessible(bob);

  await page.getByLabel('Permission of bob@example.com').selectOption('EDITOR');
  await expect.poll(async () => (await daybook.call('GET', `books/${bookId}/collaborators`)).items[1].permission).toBe('EDITOR');
  await bob.reload();
  await expect(bob.getByRole('button', { name: 'Share', exact: true })).toBeVisible();

  await page.getByRole('button', { name: 'Remove bob@example.com' }).click();
  await expect(page.getByRole('row', { name: /bob@example.com/ })).toHaveCount(0);
  await bob.reload();
  await expect(bob.getByRole('heading', { name: 'No such book' })).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect(page.getByRole('row', { name: /bob@example.com/ })).toBeVisible();
  await bob.context().close();
  expect(problems).toEqual([]);
});

test('[45] access is asked for, declined and accepted', async ({ page, browser, daybook, problems }) => {
  const bookId = await newBook(daybook, 'Club');
  const carol = await secondPerson(browser, daybook, 'carol@example.com');
  await carol.goto(`${daybook.url}/request-access/${bookId}`);
  await carol.getByLabel('Permission to ask for').selectOption('POSTER');
  await carol.getByLabel('Message to the owner').fill('I keep the till');
  await expectAccessible(carol);
  await carol.getByRole('button', { name: 'Send the request' }).click();
  await expect(carol.getByText('is with the owner for 30 days')).toBeVisible();

  await page.goto(`${daybook.url}/b/${bookId}/people`);
  const requests = page.getByRole('list', { name: 'Access requests' });
  await expect(requests).toContainText('carol@example.com asks for can post');
  await expect(requests).toContainText('I keep the till');
  await expectAccessible(page);
  await requests.getByRole('button', { name: 'Decline carol@example.com' }).click();
  await expect(requests).toHaveCount(0);

  await carol.reload();
  await carol.getByRole('button', { name: 'Send the request' }).click();
  await expect(carol.getByText('is with the owner for 30 days')).toBeVisible();
  await page.reload();
  await requests.getByRole('button', { name: 'Accept carol@example.com' }).click();
  await expect(page.getByRole('row', { name: /carol@example.com/ })).toBeVisible();
  await carol.goto(`${daybook.url}/b/${bookId}/people`);
  await expect(carol.getByRole('row', { name: /carol@example.com you Can view/ })).toBeVisible();
  await carol.context().close();
  expect(problems).toEqual([]);
});

test('[45] a book becomes public after a warning and private again', async ({ page, browser, daybook, problems }) => {
  const bookId = await newBook(daybook, 'Open club');
  const dave = await secondPerson(browser, daybook, 'dave@example.com');
  await page.goto(`${daybook.url}/b/${bookId}/people`);
  await page.getByRole('button', { name: 'Make it public' }).click();
  const dialog = page.getByRole('dialog', { name: 'Make Open club public?' });
  await expect(dialog).toContainText('everything');
  await expectAccessible(page);
  await page.keyboard.press('Enter'); // Cancel has the focus.
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('Only the collaborators above')).toBeVisible();
  await page.getByRole('button', { name: 'Make it public' }).click();
  await dialog.getByRole('button', { name: 'Make it public' }).click();
  await expect(page.getByText('Every user of this server who has the link')).toBeVisible();
  await expectAccessible(page);
  await dave.goto(`${daybook.url}/b/${bookId}/people`);
  await expect(dave.getByText('does not show who else works')).toBeVisible();
  await expectAccessible(dave);
  await page.getByRole('button', { name: 'Make it private' }).click();
  await expect(page.getByText('Only the collaborators above')).toBeVisible();
  await dave.reload();
  await expect(dave.getByRole('heading', { name: 'No such book' })).toBeVisible();
  await dave.context().close();
  expect(problems).toEqual([]);
});

test('[45] a book is offered, withdrawn, declined and accepted', async ({ page, browser, daybook, problems }) => {
  const bookId = await newBook(daybook, 'Family firm');
  const eve = await secondPerson(browser, daybook, 'eve@example.com');
  const offer = async () => {
    await page.goto(`${daybook.url}/b/${bookId}/people`);
    await page.getByLabel('E-mail address of the new owner').fill('eve@example.com');
    await page.getByRole('button', { name: 'Offer the book' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Offer the book' }).click();
    await expect(page.getByText(/Offered to eve@example.com, open until/)).toBeVisible();
  };
  await offer();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Withdraw the offer' }).click();
  await expect(page.getByText(/Offered to eve@example.com, open until/)).toHaveCount(0);

  await offer();
  await eve.goto(`${daybook.url}/me`);
  await expect(eve.getByText('offers you the book')).toContainText('Family firm');
  await expectAccessible(eve);
  await eve.getByRole('button', { name: 'Decline' }).click();
  await expect(eve.getByText('offers you the book')).toHaveCount(0);

  await offer();
  await eve.reload();
  await eve.getByRole('button', { name: 'Accept' }).click();
  await expect(eve.getByText('You own Family firm now')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('row', { name: /eve@example.com Owner/ })).toBeVisible();
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('button', { name: 'Leave the book' }).click();
  await expect(page).toHaveURL(/\/books$/);
  await eve.context().close();
  // A page may ask once more as the owner that it was a moment ago.
  problems.splice(0, problems.length, ...problems.filter((problem) => !problem.includes('status of 403')));
  expect(problems).toEqual([]);
});
