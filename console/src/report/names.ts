/** The reports of the API (behaviour 13.1), what each one is for, and which parameters it has (13.2). */

export const REPORT_NAMES = [
  'balance-sheet', 'income-statement', 'cash-flow', 'trial-balance', 'general-ledger', 'journal', 'changes',
] as const;

export type ReportName = (typeof REPORT_NAMES)[number];

export interface ReportKind {
  readonly title: string;
  /** One sentence for the list of reports. */
  readonly purpose: string;
  readonly shortcut?: string;
  readonly hasCompare: boolean;
  readonly hasColumns: boolean;
  readonly hasDepth: boolean;
  readonly hasZeros: boolean;
  readonly hasQuery: boolean;
  /** Each row is a transaction or an event, and there may be very many. */
  readonly isListing: boolean;
}

const statement = { hasCompare: true, hasColumns: true, hasDepth: true, hasZeros: true, hasQuery: true, isListing: false };
const listing = { hasCompare: false, hasColumns: false, hasDepth: false, hasZeros: false, hasQuery: true, isListing: true };

export const REPORTS: Record<ReportName, ReportKind> = {
  'balance-sheet': { ...statement, title: 'Balance sheet', purpose: 'What you own and what you owe on a day.', shortcut: 'go-balance-sheet' },
  'income-statement': { ...statement, title: 'Income statement', purpose: 'Income, expenses and the result of a period.', shortcut: 'go-income' },
  'cash-flow': { ...statement, title: 'Cash flow', purpose: 'Where cash came from and where it went.', hasCompare: false },
  'trial-balance': {
    ...statement, title: 'Trial balance', purpose: 'Opening, movement and closing of every account.', shortcut: 'go-trial', hasCompare: false, hasColumns: false,
  },
  'general-ledger': { ...listing, title: 'General ledger', purpose: 'Every transaction by account, with balances.', shortcut: 'go-ledger', hasZeros: true },
  journal: { ...listing, title: 'Journal', purpose: 'All transactions of a period in order.' },
  changes: { ...listing, title: 'Changes', purpose: 'What was recorded or changed since the last closing.', hasQuery: false },
};

export function reportPath(bookId: string, name: ReportName, params: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(params).toString();
  return `/b/${encodeURIComponent(bookId)}/reports/${name}${search && `?${search}`}`;
}
