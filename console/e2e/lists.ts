/** A small book of its own for tests of lists, and how they find and reach its lines. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect, type Daybook } from './support';

export interface Row {
  readonly date?: string;
  readonly description: string;
  readonly amount?: string;
  readonly from?: string;
  readonly to?: string;
  readonly [key: string]: unknown;
}

const ACCOUNTS = [['Bank', 'ASSET'], ['Cash', 'ASSET'], ['Card', 'LIABILITY'], ['Food', 'OUTGOING'], ['Rent', 'OUTGOING'], ['Fees', 'OUTGOING'], ['Salary', 'INCOMING']];
export const TODAY = new Date().toISOString().slice(0, 10);

/** A book of its own for each test, with the given rows. */
export async function makeBook(daybook: Daybook, rows: readonly Row[], settings: object = {}) {
  const book = await daybook.call('POST', 'books', { name: 'Lists', timeZone: 'UTC', properties: { currency: 'EUR' } });
  const at = `books/${book.id}`;
  const accounts = await daybook.call('POST', `${at}/accounts/batch`, { items: ACCOUNTS.map(([name, type]) => ({ name, type })) });
  const items = rows.map(({ from = 'Bank', to = 'Food', amount = '10.00', date = '2026-03-01', ...rest }) => ({
    date, amount, creditAccount: { name: from }, debitAccount: { name: to }, ...rest,
  }));
  const made = items.length > 0 ? (await daybook.call('POST', `${at}/transactions/batch`, { items })).items : [];
  if (Object.keys(settings).length > 0) await daybook.call('PUT', 'books', { id: book.id, ...settings });
  const find = async (query: string) => (await daybook.call('GET', `${at}/transactions?query=${encodeURIComponent(query)}`)).items;
  return {
    id: book.id as string, at, find, rows: made as { id: string }[],
    account: (name: string) => accounts.items.find((account: { name: string }) => account.name === name).id as string,
    path: (view: string) => `${daybook.url}/b/${book.id}/${view}`,
  };
}

export const gridOf = (page: Page, name = 'Transactions') => page.getByRole('grid', { name });
export const lineOf = (page: Page, text: string | RegExp) => page.getByRole('grid').getByRole('row').filter({ hasText: text });

/** Moves the cursor to a line without opening it. */
export async function moveTo(page: Page, text: string) {
  const index = Number(await lineOf(page, text).first().getAttribute('aria-rowindex')) - 2;
  await page.keyboard.press('Home');
  for (let step = 0; step < index; step += 1) await page.keyboard.press('j');
  await expect(lineOf(page, text).first()).toHaveClass(/is-cursor/);
}

/** The button that downloads what a view shows: `the accounts`, or transactions. */
export const downloadButton = (page: Page, what = '') => page.getByRole('button', { name: `Download${what && ` ${what}`}`, exact: true });

/** Chooses a format of the menu, and reads the file. */
export async function download(page: Page, what: string, format = /^CSV Plain/) {
  await downloadButton(page, what).click();
  const started = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: format }).click();
  const file = await started;
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
}
