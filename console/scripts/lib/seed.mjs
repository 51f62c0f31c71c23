// Fills a server with a demo book: always the same accounts, groups and texts; dates end today.
import { apiClient } from './daybook.mjs';

/** A deterministic pseudo-random generator (mulberry32). */
function generator(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const groups = [
  { name: 'Assets' }, { name: 'Cash and banks', parent: { name: 'Assets' }, properties: { report: 'cash' } },
  { name: 'Savings', parent: { name: 'Assets' } }, { name: 'Liabilities' }, { name: 'Equity', properties: { report: 'equity' } },
  { name: 'Income' }, { name: 'Expenses' }, { name: 'Home', parent: { name: 'Expenses' } },
  { name: 'Living', parent: { name: 'Expenses' } }, { name: 'Mobility', parent: { name: 'Expenses' } },
];
const accounts = [
  ['Checking', 'ASSET', 'Cash and banks'], ['Cash', 'ASSET', 'Cash and banks'], ['Savings account', 'ASSET', 'Savings'],
  ['Credit Card', 'LIABILITY', 'Liabilities'], ['Car loan', 'LIABILITY', 'Liabilities'], ['Opening balances', 'LIABILITY', 'Equity'],
  ['Salary', 'INCOMING', 'Income'], ['Interest', 'INCOMING', 'Income'], ['Rent', 'OUTGOING', 'Home'],
  ['Electricity & heating', 'OUTGOING', 'Home'], ['Groceries', 'OUTGOING', 'Living'], ['Café and restaurants', 'OUTGOING', 'Living'],
  ['Clothing', 'OUTGOING', 'Living'], ['Books & music', 'OUTGOING', 'Living'], ['Fuel', 'OUTGOING', 'Mobility'],
  ['Train tickets', 'OUTGOING', 'Mobility'], ['Bank fees', 'OUTGOING', 'Expenses'],
];
const spending = [
  ['Checking', 'Groceries', ['Market #food', 'Supermarket #food', 'Bakery #food', 'Organic shop #food #household'], 8, 95],
  ['Credit Card', 'Café and restaurants', ['Lunch with Ada #canteen', 'Pizzeria Da Nino #friends', 'Coffee'], 3, 48],
  ['Credit Card', 'Fuel', ['Petrol station A7 #car', 'Petrol station'], 38, 82],
  ['Checking', 'Train tickets', ['Train to Hamburg #travel', 'Monthly ticket #travel'], 19, 69],
  ['Credit Card', 'Clothing', ['Shoes', 'Winter coat', 'Socks and shirts'], 15, 160],
  ['Cash', 'Books & music', ['Second-hand novel', 'Concert ticket #friends', 'Score for piano'], 6, 60],
  ['Cash', 'Groceries', ['Farmers market #food', 'Ice cream #food'], 4, 25],
];
const hostile = [
  ['<img src=x onerror=alert(1)> & "quotes" #a_b', '1.10'], ['مرحبا بالعالم — دفع نقدي', '2.20'],
  ['A very long description that no list can show in full, because it goes on and on about the circumstances of a purchase #long', '3.30'],
  ['日本語の説明 #食費', '4.40'],
];

const money = (cents) => (cents / 100).toFixed(2);

/** Creates the demo book; `count` is the number of posted transactions. Returns the book. */
export async function seedDemo(url, token, { name = 'Household', count = 300 } = {}) {
  const call = apiClient(url, token);
  const random = generator(42);
  const book = await call('POST', 'books', {
    name, datePattern: 'dd/MM/yyyy', decimalSeparator: 'DOT', fractionDigits: 2, timeZone: 'UTC', properties: { currency: 'EUR' },
  });
  const at = `books/${book.id}`;
  await call('POST', `${at}/groups/batch`, { items: groups });
  await call('POST', `${at}/accounts/batch`, {
    items: accounts.map(([account, type, group]) => ({ name: account, type, groups: [{ name: group }] })),
  });
  const items = transactions(random, count);
  for (let start = 0; start < items.length; start += 5000) {
    await call('POST', `${at}/transactions/batch`, { items: items.slice(start, start + 5000) });
  }
  await call('POST', `${at}/transactions/batch`, { items: drafts() });
  const old = await call('GET', `${at}/transactions?limit=100&query=${encodeURIComponent('account:Checking before:$m-1')}`);
  await call('PATCH', `${at}/transactions/check/batch`, { items: old.items.map(({ id }) => ({ id })) });
  for (const [title, query] of [['Food this year', '#food on:$y'], ['Unchecked', 'is:unchecked'], ['', 'amount>100']]) {
    await call('POST', `${at}/queries`, { title, query });
  }
  return book;
}

function transactions(random, count) {
  const days = Math.min(365, Math.max(30, count));
  const day = (ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const item = (ago, from, to, description, cents, rest = {}) => ({
    date: day(ago), creditAccount: { name: from }, debitAccount: { name: to }, description, amount: money(cents), ...rest,
  });
  const items = [
    item(days, 'Opening balances', 'Checking', 'Opening balances', 412_050),
    item(days, 'Opening balances', 'Savings account', 'Opening balances', 1_250_000),
    item(days, 'Car loan', 'Opening balances', 'Opening balances', 840_000),
  ];
  for (let ago = days - 3; ago >= 0; ago -= 30) {
    items.push(item(ago, 'Salary', 'Checking', 'Salary', 326_400), item(ago, 'Checking', 'Rent', 'Rent for the flat', 118_000));
    items.push(item(ago, 'Checking', 'Electricity & heating', 'City utilities', 11_850), item(ago, 'Checking', 'Car loan', 'Car loan rate', 24_500));
    items.push(item(ago, 'Checking', 'Credit Card', 'Card statement', 40_000 + Math.floor(random() * 20_000)));
    items.push(item(ago, 'Checking', 'Cash', 'Cash machine', 12_000), item(ago, 'Checking', 'Savings account', 'Monthly saving #plan', 30_000));
  }
  for (const [description, amount] of hostile) {
    items.push({ ...item(2, 'Cash', 'Groceries', description, 0), amount });
  }
  while (items.length < count) {
    const [from, to, texts, low, high] = spending[Math.floor(random() * spending.length)];
    const cents = Math.floor((low + random() * (high - low)) * 100);
    items.push(item(Math.floor(random() * days), from, to, texts[Math.floor(random() * texts.length)], cents));
  }
  return items.slice(0, Math.max(count, 3));
}

function drafts() {
  const today = new Date().toISOString().slice(0, 10);
  return [
    { description: 'Receipt from the garden centre', amount: '34.90', date: today, draft: true },
    { description: 'Something in cash #unclear', creditAccount: { name: 'Cash' }, draft: true },
    { description: 'Dentist', amount: '120.00', date: today, creditAccount: { name: 'Checking' }, draft: true },
    { description: 'Lunch', amount: '12.50', date: today, creditAccount: { name: 'Cash' }, debitAccount: { name: 'Café and restaurants' }, draft: true },
  ];
}
