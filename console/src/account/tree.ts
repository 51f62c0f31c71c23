/** The tree of groups and accounts in the sidebar, as flat rows for a virtual list. */
import type { Account, Balances, Group, GroupBalances } from '~/api/types';
import { decimalOrZero, type Decimal } from '~/lib/money';
import { fromRaw, TYPE_NAMES, TYPE_ORDER, type AccountType } from '~/lib/signs';

export interface TreeRow {
  readonly key: string;
  readonly kind: 'group' | 'account' | 'heading';
  readonly id: string;
  readonly name: string;
  readonly depth: number;
  readonly balance: Decimal | undefined;
  readonly isOpen: boolean | undefined;
  readonly parentKey: string | undefined;
}

export interface TreeInput {
  readonly accounts: readonly Account[];
  readonly groups: readonly Group[];
  readonly balances: Balances | undefined;
  /** Ids of groups that are closed. */
  readonly collapsed: ReadonlySet<string>;
  /** Adds archived accounts and hidden groups. */
  readonly withHidden?: boolean;
}

/** Balances in people's sign by normalized name; the API's containers have no ids. */
export interface BalanceIndex {
  readonly accounts: ReadonlyMap<string, Decimal>;
  readonly groups: ReadonlyMap<string, Decimal>;
}

export function indexBalances(balances: Balances | undefined): BalanceIndex {
  const accounts = new Map<string, Decimal>();
  const groups = new Map<string, Decimal>();
  const visit = (level: Pick<GroupBalances, 'accountBalances' | 'groupBalances'>) => {
    for (const account of level.accountBalances ?? []) accounts.set(account.normalizedName!, shown(account));
    for (const group of level.groupBalances ?? []) {
      groups.set(group.normalizedName!, shown(group));
      visit(group);
    }
  };
  if (balances) visit(balances);
  return { accounts, groups };
}

/** Permanent accounts show the balance at the end of the period, others what moved in it (5.5). */
function shown(container: { permanent?: boolean; credit?: boolean; cumulativeBalance?: string; periodBalance?: string }): Decimal {
  const raw = container.permanent ? container.cumulativeBalance : container.periodBalance;
  return fromRaw(decimalOrZero(raw), container.credit);
}

const typeRank = (type: string | undefined) => {
  const index = TYPE_ORDER.indexOf(type as AccountType);
  return index < 0 ? TYPE_ORDER.length : index;
};

/** Equity has the type LIABILITY (13.5) and stands after the liabilities. */
const isEquity = (group: Group) => Number(group.properties?.['report'] === 'equity' || group.normalizedName === 'equity');

export function treeRows({ accounts, groups, balances, collapsed, withHidden = false }: TreeInput): TreeRow[] {
  const index = indexBalances(balances);
  const children = new Map<string, Group[]>();
  for (const group of groups) {
    if (group.hidden && !withHidden) continue;
    const parent = group.parent?.id ?? '';
    children.set(parent, [...(children.get(parent) ?? []), group]);
  }
  const members = new Map<string, Account[]>();
  const loose: Account[] = [];
  for (const account of accounts) {
    if (account.archived && !withHidden) continue;
    if (!account.groups?.length) loose.push(account);
    for (const group of account.groups ?? []) {
      const list = members.get(group.id!);
      if (list) list.push(account);
      else members.set(group.id!, [account]);
    }
  }
  const rows: TreeRow[] = [];
  const addAccount = (account: Account, depth: number, parentKey: string | undefined) => rows.push({
    key: `${parentKey ?? ''}/a${account.id}`, kind: 'account', id: account.id!, name: account.name!, depth,
    balance: index.accounts.get(account.normalizedName!), isOpen: undefined, parentKey,
  });
  const addGroup = (group: Group, depth: number, parentKey: string | undefined) => {
    const key = `${parentKey ?? ''}/g${group.id}`;
    const isOpen = !collapsed.has(group.id!);
    rows.push({
      key, kind: 'group', id: group.id!, name: group.name!, depth,
      balance: index.groups.get(group.normalizedName!), isOpen, parentKey,
    });
    if (!isOpen) return;
    for (const child of sortGroups(children.get(group.id!) ?? [])) addGroup(child, depth + 1, key);
    for (const account of members.get(group.id!) ?? []) addAccount(account, depth + 1, key);
  };
  for (const root of sortGroups(children.get('') ?? [])) addGroup(root, 0, undefined);
  for (const type of TYPE_ORDER) {
    const ofType = loose.filter((account) => account.type === type);
    if (ofType.length === 0) continue;
    const key = `/t${type}`;
    rows.push({ key, kind: 'heading', id: type, name: TYPE_NAMES[type], depth: 0, balance: undefined, isOpen: undefined, parentKey: undefined });
    for (const account of ofType) addAccount(account, 0, undefined);
  }
  return rows;
}

function sortGroups(groups: readonly Group[]): Group[] {
  return [...groups].sort((a, b) => typeRank(a.type) - typeRank(b.type) || isEquity(a) - isEquity(b) || a.name!.localeCompare(b.name!));
}
