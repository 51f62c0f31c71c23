/** The rows of the budget: the tree of the income statement with planned and actual figures by month. */
import type { Account } from '~/api/types';
import { add, decimalOrZero, isNegative, isZero, subtract, sum, ZERO, type Decimal } from '~/lib/money';
import type { Report } from '~/report/rows';
import { cellKey, type Cell } from './cells';

export interface BudgetRow {
  readonly key: string;
  readonly kind: 'section' | 'group' | 'account' | 'result';
  readonly name: string;
  readonly depth: number;
  readonly isIncome: boolean;
  /** Of an account: its normalized name, by which the books are compared. */
  readonly accountName: string;
  /** Of an account in the book itself. */
  readonly accountId: string | undefined;
  readonly groupId: string | undefined;
  /** Keys of the groups and the section around it. */
  readonly parents: readonly string[];
  /** One for each month. */
  readonly budget: readonly Decimal[];
  readonly actual: readonly Decimal[];
  readonly budgetTotal: Decimal;
  readonly actualTotal: Decimal;
}

export interface GridInput {
  /** The income statement of the book with a column for each month, and accounts without movements. */
  readonly report: Report;
  readonly months: readonly string[];
  readonly cells: ReadonlyMap<string, Cell>;
  readonly accountById: ReadonlyMap<string, Account>;
  /** The accounts of the budget; those that the book lacks are rows too. */
  readonly budgetAccounts: readonly Account[];
}

type Draft = Omit<BudgetRow, 'budget' | 'actual' | 'budgetTotal' | 'actualTotal'>;
interface Figures { budget: Decimal[]; actual: Decimal[] }

const SECTIONS = { Income: true, Expenses: false } as const;
const zeros = (count: number): Decimal[] => Array.from({ length: count }, () => ZERO);

/** The months of a report with monthly columns. */
export function monthsOf(report: Report): string[] {
  return report.columns.flatMap(({ key, kind }) => (kind === 'amount' && /^\d{4}-\d{2}$/.test(key) ? [key] : []));
}

export function budgetRows(input: GridInput): BudgetRow[] {
  const { report, months, cells, accountById, budgetAccounts } = input;
  const columns = months.map((month) => report.columns.findIndex(({ key }) => key === month));
  const planned = (name: string) => months.map((month) => cells.get(cellKey(name, month))?.value ?? ZERO);
  const found: { draft: Draft; figures: Figures }[] = [];
  const known = new Set<string>();
  let stack: string[] = [];
  let section: Draft | undefined;

  const push = (draft: Draft, figures: Figures = { budget: zeros(months.length), actual: zeros(months.length) }) => found.push({ draft, figures });
  const openSection = (title: keyof typeof SECTIONS) => {
    section = { key: title, kind: 'section', name: title, depth: 0, isIncome: SECTIONS[title], accountName: '', accountId: undefined, groupId: undefined, parents: [] };
    stack = [title];
    push(section);
  };
  const closeSection = () => {
    if (section) addBudgetOnly(section.isIncome);
    section = undefined;
  };
  const addAccount = (name: string, label: string, id: string | undefined, actual: Decimal[]) => {
    known.add(name);
    push({ key: `a${name}`, kind: 'account', name: label, depth: stack.length, isIncome: section!.isIncome, accountName: name, accountId: id, groupId: undefined, parents: stack }, { budget: planned(name), actual });
  };
  const addBudgetOnly = (isIncome: boolean) => {
    stack = stack.slice(0, 1);
    for (const account of budgetAccounts) {
      const name = account.normalizedName!;
      if (account.permanent || account.credit !== isIncome || known.has(name) || planned(name).every(isZero)) continue;
      addAccount(name, account.name!, undefined, zeros(months.length));
    }
  };

  for (const row of report.rows) {
    const label = row.cells[0] ?? '';
    if (row.kind === 'section' && label in SECTIONS) {
      closeSection();
      openSection(label as keyof typeof SECTIONS);
    } else if (!section) {
      continue;
    } else if (row.kind === 'group') {
      const key = `g${row.groupId}`;
      push({ key, kind: 'group', name: label, depth: stack.length, isIncome: section.isIncome, accountName: '', accountId: undefined, groupId: row.groupId, parents: stack });
      stack = [...stack, key];
    } else if (row.kind === 'subtotal') {
      stack = stack.slice(0, -1);
    } else if (row.kind === 'total') {
      closeSection();
    } else if (row.kind === 'line' && row.accountId) {
      const account = accountById.get(row.accountId);
      const actual = columns.map((column) => decimalOrZero(row.cells[column]));
      const name = account?.normalizedName ?? row.accountId;
      if (account?.archived && [...actual, ...planned(name)].every(isZero)) continue;
      addAccount(name, label, row.accountId, actual);
    }
  }
  closeSection();
  for (const [title, isIncome] of Object.entries(SECTIONS)) {
    const hasRest = budgetAccounts.some((account) => !account.permanent && account.credit === isIncome && !known.has(account.normalizedName!) && !planned(account.normalizedName!).every(isZero));
    if (!hasRest) continue;
    openSection(title as keyof typeof SECTIONS);
    closeSection();
  }
  return withTotals(found, months.length);
}

/** Adds the accounts up into groups and sections, drops groups without accounts, and ends with the result. */
function withTotals(found: readonly { readonly draft: Draft; readonly figures: Figures }[], count: number): BudgetRow[] {
  const sums = new Map<string, Figures>();
  const result: Figures = { budget: zeros(count), actual: zeros(count) };
  for (const { draft, figures } of found) {
    if (draft.kind !== 'account') continue;
    for (const parent of draft.parents) {
      const total = sums.get(parent) ?? { budget: zeros(count), actual: zeros(count) };
      sums.set(parent, { budget: plus(total.budget, figures.budget, add), actual: plus(total.actual, figures.actual, add) });
    }
    const change = draft.isIncome ? add : subtract;
    result.budget = plus(result.budget, figures.budget, change);
    result.actual = plus(result.actual, figures.actual, change);
  }
  const rows = found.flatMap(({ draft, figures }) => {
    const own = draft.kind === 'account' ? figures : sums.get(draft.key);
    return own ? [finish(draft, own)] : [];
  });
  if (rows.length === 0) return [];
  return [...withoutEchoes(rows), finish({ key: 'result', kind: 'result', name: 'Result', depth: 0, isIncome: true, accountName: '', accountId: undefined, groupId: undefined, parents: [] }, result)];
}

/** A section that consists of one group of its own name, such as Expenses, needs no second line. */
function withoutEchoes(rows: readonly BudgetRow[]): BudgetRow[] {
  const echoes = new Set(
    rows.filter(({ kind, name, parents }, index) =>
      kind === 'group' && parents.length === 1 && rows[index - 1]?.kind === 'section' && rows[index - 1]!.name === name
      && rows.filter((other) => other.parents.length === 1 && other.parents[0] === parents[0]).length === 1,
    ).map(({ key }) => key),
  );
  return rows.flatMap((row) => {
    if (echoes.has(row.key)) return [];
    const parents = row.parents.filter((parent) => !echoes.has(parent));
    return [parents.length === row.parents.length ? row : { ...row, parents, depth: row.depth - 1 }];
  });
}

const plus = (left: readonly Decimal[], right: readonly Decimal[], operation: typeof add): Decimal[] => left.map((value, index) => operation(value, right[index]!));
const finish = (draft: Draft, { budget, actual }: Figures): BudgetRow => ({ ...draft, budget, actual, budgetTotal: sum(budget), actualTotal: sum(actual) });

/** What is left to spend, or still expected; negative beyond the budget. */
export const leftOf = (budget: Decimal, actual: Decimal): Decimal => subtract(budget, actual);

/** Whether the actual figure is worse than planned: less income, or more expenses. */
export function isAdverse(isIncome: boolean, budget: Decimal, actual: Decimal): boolean {
  return isIncome ? isNegative(subtract(actual, budget)) : isNegative(subtract(budget, actual));
}

/** The rows that are on the screen while some groups are closed. */
export function openRows(rows: readonly BudgetRow[], closed: ReadonlySet<string>): BudgetRow[] {
  return rows.filter(({ parents }) => !parents.some((parent) => closed.has(parent)));
}
