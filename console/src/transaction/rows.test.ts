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

/** A list that counts how often its rows are read. */
function countReads(rows: TransactionRows): () => number {
  let reads = 0;
  const counted = new Proxy(rows.rows, {
    get: (target, key, receiver) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  Object.defineProperty(rows, 'rows', { value: counted });
  return () => reads;
}

test('a change of a visible row does not look at the others', async () => {
  const rows = await loadAll(new Server(numbered(5000)));
  rows.setVisible(4900, 4950);
  const reads = countReads(rows);
  const id = numbered(5000)[4910]!.id!;
  const revert = rows.patch([id], (old) => ({ ...old, checked: true }));
  revert();
  expect(reads()).toBeLessThan(300);
});

test('rows that were found before are found near their old place', async () => {
  const server = new Server(numbered(5000));
  const rows = await loadAll(server);
  const wanted = [10, 4000].map((at) => server.rows[at]!.id!);
  expect(rows.locate(wanted)).toEqual([10, 4000]);
  server.rows = [row('!a'), ...server.rows.slice(0, 20), ...server.rows.slice(21)];
  await rows.refresh();
  const reads = countReads(rows);
  expect(rows.locate([...wanted, 'none']).map((at) => rows.rows[at]!.id)).toEqual(wanted);
  expect(reads()).toBeGreaterThan(4900);
  expect(rows.locate(wanted)).toEqual([11, 4000]);
  expect(reads()).toBeLessThan(5300);
});

test('a patch that moves a row between days changes the order', async () => {
  const rows = new TransactionRows(fetchPages);
  await rows.loadMore();
  rows.patch(['0b'], (old) => ({ ...old, date: '2026-03-01' }));
  expect(rows.changes).toEqual([{ start: 1, removed: 1, added: 1 }]);
});

/** A list on a server whose rows a test can change; a cursor names the last row of its page. */
class Server {
  constructor(public rows: Transaction[]) {}
  readonly requests: (string | undefined)[] = [];
  readonly fetch = (cursor: string | undefined, limit: number): Promise<Page> => {
    this.requests.push(cursor);
    // The order is that of the ids, so a cursor stays valid when its row has gone.
    const start = cursor ? this.rows.findIndex(({ id }) => id! > cursor) : 0;
    const items = start < 0 ? [] : this.rows.slice(start, start + limit).map((item) => ({ ...item }));
    const isLast = start < 0 || start + limit >= this.rows.length;
    return Promise.resolve({ items, cursor: isLast ? undefined : items.at(-1)!.id!, warnings: [] });
  };
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => row(String(at * 10).padStart(7, '0')));

async function loadAll(server: Server): Promise<TransactionRows> {
  const rows = new TransactionRows(server.fetch);
  while (!rows.isComplete) await rows.loadMore();
  return rows;
}

async function settled(rows: TransactionRows): Promise<void> {
  while (rows.isLoading) await Promise.resolve();
}

test.each([
  ['a row in the middle came in', (all: Transaction[]) => [...all.slice(0, 2500), row('0024995'), ...all.slice(2500)]],
  ['a visible row went away', (all: Transaction[]) => [...all.slice(0, 2499), ...all.slice(2500)]],
  ['rows came in at the top', (all: Transaction[]) => [row('!a'), row('!b'), ...all]],
  ['the end went away', (all: Transaction[]) => all.slice(0, 2600)],
  ['rows changed', (all: Transaction[]) => all.map(({ id }) => row(id!, true))],
])('a long list keeps its place after a refresh: %s', async (_name, change) => {
  const server = new Server(numbered(5000));
  const rows = await loadAll(server);
  rows.setVisible(2480, 2520);
  server.rows = change(server.rows);
  server.requests.length = 0;
  await rows.refresh();
  expect(server.requests.length).toBe(2);
  // Scrolling through all of it loads the stale rest.
  for (let first = 0; first < rows.rows.length; first += 300) {
    rows.setVisible(first, first + 300);
    await settled(rows);
  }
  expect(ids(rows)).toEqual(server.rows.map(({ id }) => id));
  expect(rows.rows.map(({ checked }) => checked)).toEqual(server.rows.map(({ checked }) => checked));
});

test('equal accounts of rows are one object', async () => {
  const side = () => ({ id: '1', name: 'Cash' });
  const rows = new TransactionRows(() =>
    Promise.resolve({ items: [{ id: 'a', creditAccount: side() }, { id: 'b', debitAccount: side() }] as Transaction[], cursor: undefined, warnings: [] }));
  await rows.loadMore();
  expect(rows.rows[0]!.creditAccount).toBe(rows.rows[1]!.debitAccount);
});
