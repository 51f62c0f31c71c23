import { expect, test, vi } from 'vitest';
import type { Transaction } from '~/api/types';
import { TransactionRows, type Page } from './rows';

const row = (id: string, checked = false) => ({ id, checked }) as Transaction;

/** Three pages of two rows; the cursor is the number of the page. */
const fetchPages = (cursor: string | undefined): Promise<Page> => {
  const page = Number(cursor ?? 0);
  return Promise.resolve({ items: [row(`${page}a`), row(`${page}b`)], cursor: page < 2 ? String(page + 1) : undefined, warnings: [] });
};
const ids = (rows: TransactionRows) => rows.rows.map(({ id }) => id);

test('pages are appended until the last one', async () => {
  const rows = new TransactionRows(fetchPages);
  for (let count = 0; count < 5; count += 1) await rows.loadMore();
  expect(ids(rows)).toEqual(['0a', '0b', '1a', '1b', '2a', '2b']);
  expect(rows.isComplete).toBe(true);
});

test('a page is requested once', async () => {
  const fetch = vi.fn(fetchPages);
  const rows = new TransactionRows(fetch);
  await Promise.all([rows.loadMore(), rows.loadMore()]);
  expect(fetch).toHaveBeenCalledTimes(1);
});

test('a refresh wins over a page that is still being loaded', async () => {
  const rows = new TransactionRows(fetchPages);
  await rows.loadMore();
  const late = rows.loadMore();
  await rows.refresh();
  await late;
  expect(ids(rows)).toEqual(['0a', '0b']);
  expect(rows.isLoading).toBe(false);
});

test('an error is kept and a later load clears it', async () => {
  const fetch = vi.fn(fetchPages).mockRejectedValueOnce(new Error('down'));
  const rows = new TransactionRows(fetch);
  await rows.loadMore();
  expect(rows.error).toEqual(new Error('down'));
  await rows.loadMore();
  expect([rows.error, rows.rows.length]).toEqual([undefined, 2]);
});

test('a patch can be taken back', async () => {
  const rows = new TransactionRows(fetchPages);
  await rows.loadMore();
  const revert = rows.patch(new Set(['0b']), (old) => ({ ...old, checked: true }));
  expect(rows.rows.map(({ checked }) => checked)).toEqual([false, true]);
  revert();
  expect(rows.rows.map(({ checked }) => checked)).toEqual([false, false]);
});
