/** The main tasks by keyboard alone. No event of a mouse, a pen or a finger reaches the page. */
import type { Locator, Page } from '@playwright/test';
import { lineOf, moveTo } from './lists';
import { expect, expectAccessible, test } from './support';

test.use({ suite: 'keyboard' });

const now = new Date().toISOString().slice(0, 10);
const shown = `${now.slice(8)}/${now.slice(5, 7)}/${now.slice(0, 4)}`;

/** Presses Tab until a control has the focus, as a person does who has no mouse. */
async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab') {
  await target.first().waitFor();
  for (let step = 0; step < 80; step += 1) {
    if (await target.first().evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`Tab does not reach ${target}`);
}

/** Replaces the text of the field that has the focus. */
async function typeOver(page: Page, text: string) {
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

test('[49] every main task works by keyboard alone: sign in, record, find, edit, merge, attach, reconcile, report, share, sign out', async ({ page, context, daybook, problems }) => {
  test.setTimeout(300_000);
  await page.goto('about:blank');
  await context.clearCookies();
  await context.addInitScript(() => {
    const used: string[] = [];
    (window as unknown as { pointerEvents: string[] }).pointerEvents = used;
    // A button that is pressed by Enter or space has a click, but no mouse.
    for (const type of ['mousedown', 'pointerdown', 'touchstart', 'wheel', 'contextmenu']) {
      document.addEventListener(type, (event) => event.isTrusted && used.push(type), true);
    }
  });
  const at = `books/${daybook.bookId}`;
  const find = async (query: string) => (await daybook.call('GET', `${at}/transactions?query=${encodeURIComponent(query)}`)).items;
  const grid = page.getByRole('grid', { name: 'Transactions' });

  await test.step('sign in and open a book', async () => {
    await page.goto(daybook.signInLink());
    await tabTo(page, page.getByRole('button').first());
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.pathname.includes('/auth/'));
    await page.goto(`${daybook.url}/books`);
    await expect(page.getByRole('grid', { name: 'Books' }).getByRole('row').nth(1)).toBeVisible();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(new RegExp(`/b/${daybook.bookId}`));
  });

  await test.step('the first Tab skips the navigation', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    await expect(grid.getByRole('row').nth(3)).toBeVisible();
    await page.reload();
    await expect(grid.getByRole('row').nth(3)).toBeVisible();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.locator('#main')).toBeFocused();
  });

  await test.step('record by line', async () => {
    await page.keyboard.press('n');
    await page.keyboard.type('7.20 keyboard lunch cash restau');
    await expect(page.locator('.entry-ghost')).toContainText('Café and restaurants');
    await page.keyboard.press('Tab');
    await expect(page.getByRole('group', { name: 'Reading of the line' })).toContainText('Expense, paid from Cash');
    await page.keyboard.press('Enter');
    await expect(lineOf(page, 'keyboard lunch')).toBeVisible();
    await page.keyboard.press('Escape');
  });

  await test.step('record by form, with a split', async () => {
    await page.keyboard.press('Shift+N');
    const form = page.getByRole('form', { name: 'Form' });
    await expect(form.getByLabel('From')).toBeFocused();
    await page.keyboard.type('check');
    await page.keyboard.press('Tab');
    await tabTo(page, form.getByLabel('Amount'));
    await page.keyboard.type('60+40');
    await tabTo(page, form.getByLabel('Description'));
    await page.keyboard.type('keyboard split');
    await page.keyboard.press('Alt+p');
    await tabTo(page, form.getByLabel('To of leg 1'));
    await page.keyboard.type('groc');
    await page.keyboard.press('Tab');
    await tabTo(page, form.getByLabel('Amount of leg 1'));
    await page.keyboard.type('30');
    await expect(form.getByText('Remainder 70.00')).toBeVisible();
    await tabTo(page, form.getByLabel('To of leg 2'));
    await page.keyboard.type('cloth');
    await page.keyboard.press('Tab');
    await tabTo(page, form.getByLabel('Amount of leg 2'));
    await page.keyboard.press('Enter');
    await expect(page.getByText('Recorded 2 transactions')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(form).toHaveCount(0);
    await expect(lineOf(page, 'keyboard split')).toContainText('100.00');
  });

  await test.step('find, by query and by period', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('keyboard');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/q=keyboard/);
    await expect(page.getByText('3 rows')).toBeVisible();
    await page.keyboard.press('.');
    await expect(page).toHaveURL(/period=\d{4}-\d{2}/);
    await page.keyboard.press('\\');
    await expect(page).not.toHaveURL(/period=/);
  });

  await test.step('edit in the list, duplicate, check, and undo', async () => {
    await moveTo(page, 'keyboard lunch');
    await page.keyboard.press('e');
    await expect(page.getByRole('textbox', { name: 'Description' })).toBeFocused();
    await typeOver(page, 'keyboard lunch with Grace');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await find("'with Grace'")).length).toBe(1);
    await page.keyboard.press('Escape');
    await moveTo(page, 'with Grace');
    await page.keyboard.press('d');
    await expect(lineOf(page, 'with Grace')).toHaveCount(2);
    await page.keyboard.press('c');
    await expect.poll(async () => (await find('keyboard is:checked')).length).toBe(1);
    await page.keyboard.press('z');
    await expect.poll(async () => (await find('keyboard is:checked')).length).toBe(0);
  });

  await test.step('select and merge', async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('Home');
    const first = Number(await lineOf(page, 'with Grace').first().getAttribute('aria-rowindex'));
    const second = Number(await lineOf(page, 'with Grace').nth(1).getAttribute('aria-rowindex'));
    for (let step = 2; step < first; step += 1) await page.keyboard.press('j');
    await page.keyboard.press('x');
    for (let step = first; step < second; step += 1) await page.keyboard.press('j');
    await page.keyboard.press('x');
    await expect(page.getByRole('region', { name: 'Selection' })).toContainText('2 rows');
    await page.keyboard.press('m');
    const dialog = page.getByRole('dialog', { name: 'Merge two transactions' });
    await tabTo(page, dialog.getByRole('button', { name: 'Merge' }));
    await page.keyboard.press('Enter');
    await expect(dialog).toHaveCount(0);
    await expect(lineOf(page, 'with Grace')).toHaveCount(1);
  });

  await test.step('the panel: fields, files and comments', async () => {
    await moveTo(page, 'with Grace');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Transaction' });
    await tabTo(page, panel.getByRole('textbox', { name: 'Description' }));
    await page.keyboard.press('End');
    await page.keyboard.type(' #team');
    await tabTo(page, panel.getByRole('button', { name: 'Save' }));
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await find('#team')).length).toBe(1);
    await tabTo(page, panel.getByRole('button', { name: /Attach files/ }));
    const chooser = page.waitForEvent('filechooser');
    await page.keyboard.press('Enter');
    await (await chooser).setFiles({ name: 'menu.txt', mimeType: 'text/plain', buffer: Buffer.from('Lasagne') });
    await expect(panel.locator('.file-list li', { hasText: 'menu.txt' })).toBeVisible();
    await tabTo(page, panel.getByRole('textbox', { name: 'New comment' }));
    await page.keyboard.type('Is it a gift?');
    await page.keyboard.press('Control+Enter');
    await expect(panel.locator('.comment')).toContainText('Is it a gift?');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect(panel).toHaveCount(0);
  });

  await test.step('tag and trash', async () => {
    await moveTo(page, 'keyboard split');
    await page.keyboard.press('t');
    await page.keyboard.type('bulk');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await find('#bulk')).length).toBe(2);
    await page.keyboard.press('#');
    await expect(lineOf(page, 'keyboard split')).toHaveCount(0);
    await page.keyboard.press('z');
    await expect(lineOf(page, 'keyboard split')).toBeVisible();
  });

  await test.step('reconcile an account', async () => {
    await page.keyboard.press('f');
    await page.keyboard.type('cash');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('grid', { name: 'Register of Cash' })).toBeVisible();
    await page.keyboard.press('r');
    await tabTo(page, page.getByLabel('Statement up to'));
    await typeOver(page, shown);
    await tabTo(page, page.getByLabel('Closing balance in EUR'));
    await page.keyboard.type('0');
    await page.keyboard.press('Enter');
    const rows = page.getByRole('grid', { name: 'Rows of Cash' });
    await expect(rows.getByRole('row').nth(2)).toBeVisible();
    await page.keyboard.press('j');
    await page.keyboard.press('Space');
    await expect(rows.getByRole('checkbox', { checked: true }).first()).toBeVisible();
    await tabTo(page, page.getByRole('button', { name: 'Save' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
  });

  await test.step('report and drill down', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    const report = page.getByRole('treegrid');
    await expect(report.getByRole('row', { name: /Groceries/ })).toBeVisible();
    const groceries = report.getByRole('row', { name: /^Groceries/ });
    for (let step = 0; step < 40 && !/is-cursor/.test((await groceries.getAttribute('class')) ?? ''); step += 1) await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/transactions\?|accounts\//);
    await expect(page.getByRole('grid').getByRole('row').nth(1)).toBeVisible();
  });

  await test.step('share', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await tabTo(page, page.getByLabel('E-mail address', { exact: true }));
    await page.keyboard.type('carla@example.com');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('row', { name: /carla@example.com/ })).toBeVisible();
  });

  await test.step('help, palette, menus, and sign out', async () => {
    await page.keyboard.press('Tab');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('keyboard map');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog', { name: 'Keyboard map' })).toBeVisible();
    await page.keyboard.press('Escape');
    await tabTo(page, page.getByRole('button', { name: /^You:/ }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menuitem', { name: 'Profile and devices' })).toBeFocused();
    const used = await page.evaluate(() => (window as unknown as { pointerEvents: string[] }).pointerEvents);
    expect(used).toEqual([]);
    await page.keyboard.press('End');
    await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeFocused();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/auth\/|\/$|\/books$/);
    await page.goto(`${daybook.url}/b/${daybook.bookId}`);
    await expect(page.getByRole('link', { name: 'Sign in' })).toBeVisible();
  });
  expect(problems).toEqual([]);
});
