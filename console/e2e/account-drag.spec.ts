import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Daybook } from './support';

test.use({ suite: 'account-drag' });

async function makeBook(daybook: Daybook): Promise<string> {
  const { id } = await daybook.call('POST', 'books', {
    name: 'Chart', timeZone: 'UTC',
    groups: [{ name: 'Assets' }, { name: 'Banks', parent: { name: 'Assets' } }, { name: 'Tax' }],
    accounts: [
      { name: 'Cash', type: 'ASSET', groups: [{ name: 'Assets' }] }, { name: 'Giro', type: 'ASSET', groups: [{ name: 'Banks' }, { name: 'Tax' }] }, { name: 'Safe', type: 'ASSET' },
    ],
  });
  return id;
}

const grid = (page: Page) => page.getByRole('grid', { name: 'Accounts and groups' });
const row = (page: Page, name: string) => grid(page).locator('.list-row').filter({ has: page.locator('bdi', { hasText: new RegExp(`^${name}$`) }) });
const groupsOf = (daybook: Daybook, bookId: string) => async (name: string): Promise<string[]> =>
  (await daybook.call('GET', `books/${bookId}/accounts`)).items.find((account: { name: string }) => account.name === name).groups.map((group: { name: string }) => group.name).sort();

async function moveTo(page: Page, name: string) {
  await expect(row(page, name).first()).toBeVisible();
  const names = await grid(page).locator('.list-row .chart-name bdi').allTextContents();
  await grid(page).focus();
  await page.keyboard.press('Home');
  for (let step = 0; step < names.indexOf(name); step += 1) await page.keyboard.press('j');
  await expect(row(page, name).first()).toHaveClass(/is-cursor/);
}

test('[21] [23] accounts are dragged between groups, one or many, and undone', async ({ page, daybook, problems }) => {
  const bookId = await makeBook(daybook);
  const groups = groupsOf(daybook, bookId);
  await page.goto(`${daybook.url}/b/${bookId}/accounts`);
  await row(page, 'Cash').locator('.chart-drag').dragTo(row(page, 'Banks'));
  await expect(page.getByText('Moved Cash to Banks')).toBeVisible();
  await expect.poll(() => groups('Cash')).toEqual(['Banks']);
  await page.keyboard.press('z');
  await expect.poll(() => groups('Cash')).toEqual(['Assets']);

  // An account in two groups leaves the one that it is dragged from.
  await row(page, 'Giro').first().locator('.chart-drag').dragTo(row(page, 'Assets'));
  await expect.poll(() => groups('Giro')).toEqual(['Assets', 'Tax']);
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect.poll(() => groups('Giro')).toEqual(['Banks', 'Tax']);

  // With the selection all of it moves.
  await moveTo(page, 'Cash');
  await page.keyboard.press('x');
  await moveTo(page, 'Safe');
  await page.keyboard.press('x');
  await row(page, 'Safe').locator('.chart-drag').dragTo(row(page, 'Tax'));
  await expect(page.getByText('Moved 2 accounts to Tax')).toBeVisible();
  await expect.poll(() => groups('Safe')).toEqual(['Tax']);
  await expect.poll(() => groups('Cash')).toEqual(['Tax']);
  expect(problems).toEqual([]);
});

test('[25] an account is dragged by keyboard', async ({ page, daybook, problems }) => {
  const bookId = await makeBook(daybook);
  const groups = groupsOf(daybook, bookId);
  await page.goto(`${daybook.url}/b/${bookId}/accounts`);
  await moveTo(page, 'Cash');
  await page.keyboard.press('Shift+m');
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '');
  await expect.poll(focused).toMatch(/^Move to /);
  for (let step = 0; step < 4 && (await focused()) !== 'Move to Tax'; step += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect.poll(() => groups('Cash')).toEqual(['Tax']);
  await expect(grid(page)).toBeFocused();

  await moveTo(page, 'Cash');
  await page.keyboard.press('Shift+m');
  await expect.poll(focused).toMatch(/^Move to /);
  await page.keyboard.press('Escape');
  await moveTo(page, 'Cash');
  await page.keyboard.press('Shift+m');
  await expect.poll(focused).toMatch(/^Move to /);
  for (let step = 0; step < 4 && (await focused()) !== 'Take out of all groups'; step += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect.poll(() => groups('Cash')).toEqual([]);
  await page.keyboard.press('z');
  await expect.poll(() => groups('Cash')).toEqual(['Tax']);
  await expectAccessible(page);
  expect(problems).toEqual([]);
});

test('[1] [23] accounts and groups are dragged in the sidebar, by mouse and keyboard, and undone', async ({ page, daybook, problems }) => {
  const bookId = await makeBook(daybook);
  const groups = groupsOf(daybook, bookId);
  const parentOf = async (name: string): Promise<string> => {
    const { items } = await daybook.call('GET', `books/${bookId}/groups`);
    const parent = items.find((group: { name: string }) => group.name === name).parent?.id;
    return items.find(({ id }: { id: string }) => id === parent)?.name ?? '';
  };
  await page.goto(`${daybook.url}/b/${bookId}/transactions`);
  const tree = page.getByRole('tree', { name: 'Accounts and groups' });
  const item = (name: string) => tree.getByRole('treeitem', { name: new RegExp(`^${name}`) }).first();
  await tree.hover();
  await item('Cash').locator('.chart-drag').dragTo(item('Banks'));
  await expect(page.getByText('Moved Cash to Banks')).toBeVisible();
  await expect.poll(() => groups('Cash')).toEqual(['Banks']);
  await page.keyboard.press('z');
  await expect.poll(() => groups('Cash')).toEqual(['Assets']);

  await item('Banks').locator('.chart-drag').dragTo(item('Tax'));
  await expect(page.getByText('Moved the group Banks to Tax')).toBeVisible();
  await expect.poll(() => parentOf('Banks')).toBe('Tax');
  await page.keyboard.press('z');
  await expect.poll(() => parentOf('Banks')).toBe('Assets');

  await expect(item('Banks')).toHaveAttribute('aria-level', '2');
  await tree.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await expect(item('Banks')).toHaveClass(/is-cursor/);
  await page.keyboard.press('Shift+m');
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '');
  // A group does not move to where it is, nor below itself.
  await expect.poll(focused).toMatch(/^Move to (Tax|the top level)/);
  for (let step = 0; step < 2 && (await focused()) !== 'Move to the top level'; step += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect.poll(() => parentOf('Banks')).toBe('');
  await expect(tree).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press('z');
  await expect.poll(() => parentOf('Banks')).toBe('Assets');
  expect(problems).toEqual([]);
});
