// Fills a book with many accounts and transactions, over several connections at a time.
import { apiClient } from './daybook.mjs';

const BATCH = 5000;
const CONNECTIONS = 4;

/** Runs the jobs, at most `CONNECTIONS` at a time. */
async function inParallel(count, job) {
  let next = 0;
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
    for (let at = next++; at < count; at = next++) await job(at);
  }));
}

/**
 * Creates a book with so many posted transactions over six years, or returns the one that an earlier run has
 * left. Accounts: Bank, Cash, Food, and `Account 0001` and so on; every fifth transaction has one of those.
 */
export async function bulkBook(url, token, { name, rows, accounts }) {
  const call = apiClient(url, token);
  const known = (await call('GET', 'books')).items.find((book) => book.name === name);
  if (known) return known;
  const book = await call('POST', 'books', { name: `${name} (unfinished)`, timeZone: 'UTC', properties: { currency: 'EUR' } });
  const at = `books/${book.id}`;
  const more = Array.from({ length: Math.max(0, accounts - 3) }, (_, index) => `Account ${String(index + 1).padStart(4, '0')}`);
  const groups = Array.from({ length: Math.ceil(more.length / 50) }, (_, index) => `Group ${index + 1}`);
  if (groups.length > 0) await call('POST', `${at}/groups/batch`, { items: groups.map((group) => ({ name: group })) });
  const items = [
    { name: 'Bank', type: 'ASSET' }, { name: 'Cash', type: 'ASSET' }, { name: 'Food', type: 'OUTGOING' },
    ...more.map((account, index) => ({ name: account, type: 'OUTGOING', groups: [{ name: groups[Math.floor(index / 50)] }] })),
  ];
  for (let start = 0; start < items.length; start += 1000) await call('POST', `${at}/accounts/batch`, { items: items.slice(start, start + 1000) });
  await inParallel(Math.ceil(rows / BATCH), async (part) => {
    const start = part * BATCH;
    const row = (_, offset) => {
      const index = start + offset;
      return {
        date: new Date(Date.UTC(2020, 0, 1) + (index % 2200) * 86_400_000).toISOString().slice(0, 10),
        description: `Row ${index} #bulk`, amount: `${1 + (index % 90)}.00`, creditAccount: { name: index % 7 === 0 ? 'Cash' : 'Bank' },
        debitAccount: { name: index % 5 === 0 && more.length > 0 ? more[(index / 5) % more.length] : 'Food' },
      };
    };
    await call('POST', `${at}/transactions/batch`, { items: Array.from({ length: Math.min(BATCH, rows - start) }, row) });
  });
  return call('PUT', 'books', { id: book.id, name });
}
