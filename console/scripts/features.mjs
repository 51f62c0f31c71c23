// Writes e2e/FEATURES.md: the features of the console, and the browser tests that name their numbers.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const FEATURES = [
  'Sidebar of accounts with live balances',
  'Register with running balance',
  'Register that starts with an opening balance row',
  'Virtual list, 1 million rows',
  'Filters and period in the URL on every page',
  'Query language with completion',
  'Warnings for terms that have no effect',
  'Saved queries in the sidebar',
  'Previous/next period keys',
  'Typed-line entry with preview',
  'Inline row editing',
  'Enter saves and begins the next',
  'Account completion by any part, accents ignored',
  'Amount arithmetic (`12.50*3+4`)',
  'Relative dates in the date field (`mon`, `-3`, `15`)',
  'Duplicate a transaction to today',
  'Drafts tray with "what is missing"',
  'Check/uncheck with one key in the list',
  'Reconcile against a statement (target, difference)',
  'Statement line grouping of split parts',
  'Bulk select, edit, tag, check, trash',
  'Merge two rows with field choice',
  'Undo of everything',
  'Trash with restore',
  'Keyboard map with `?` overlay',
  'Command palette',
  'Import wizard with preview and reasons',
  'Import learned from history, with confidence',
  'Undo of a whole import',
  'Balance sheet, income statement',
  'Trial balance, general ledger, statement',
  'Comparative columns (period, year, difference, %)',
  'Drill from figure to its transactions',
  'Export of every report (CSV, XLSX, print)',
  'Print layout with book, period, page numbers',
  'Balances as of any day',
  'State of the books as *known* at an earlier time',
  'Charts: balance, net worth, flow per month',
  'Live updates from other users',
  'History of one transaction as diffs, by whom',
  'Proof state (chain, last audit) on the page',
  "Bots' answers on the row, with retry",
  'Delivery log of apps',
  'Files: drop on a row, view beside it',
  'Sharing with permissions, access requests',
  'Lock and closing dates shown in entry',
  'Dark/light/system, compact/comfortable',
  'Phone layout with fast entry',
  'WCAG 2.2 AA, tested by axe',
  'Languages; formats from the book, not the browser',
  'Up-to-date/reconciled-through mark by account',
  'Doctor page (findings, stale drafts, likely duplicates)',
];

const folder = new URL('../e2e/', import.meta.url);
const rows = readdirSync(folder).filter((name) => name.endsWith('.spec.ts')).sort().flatMap((spec) => {
  const titles = [...readFileSync(new URL(spec, folder), 'utf8').matchAll(/^test\((['`])(.*?)\1, /gm)].map((match) => match[2]);
  return titles.flatMap((title) => [...title.matchAll(/\[(\d+)\]/g)].map((match) => ({ feature: Number(match[1]), spec, title })));
});
rows.sort((left, right) => left.feature - right.feature);
writeFileSync(new URL('FEATURES.md', folder), `# Features and their browser tests

The numbers are those of the features table that the console was planned with. \`npm run features\` writes this table, and a unit test
checks it. 37, 50 and 52 are not part of this release.

| # | Feature | Spec | Test |
|--:|---|---|---|
${rows.map(({ feature, spec, title }) => `| ${feature} | ${FEATURES[feature - 1]} | \`${spec}\` | ${title} |`).join('\n')}
`);
