/** Changes of many accounts at once, as the bodies that the batch operations take. */
import type { Account, Group } from '~/api/types';

export interface AccountChange {
  readonly type?: Account['type'];
  readonly archived?: boolean;
  /** Ids of the groups that the accounts are in afterwards. */
  readonly groups?: readonly string[];
}

/** The items of a batch with the change, and those that undo it. */
export function changeItems(accounts: readonly Account[], change: AccountChange): { readonly items: Account[]; readonly undo: Account[] } {
  const refs = (ids: readonly string[]) => ids.map((id) => ({ id }));
  const items = accounts.map(({ id }): Account => ({
    id: id!,
    ...(change.type ? { type: change.type } : {}),
    ...(change.archived === undefined ? {} : { archived: change.archived }),
    ...(change.groups ? { groups: refs(change.groups) } : {}),
  }));
  const undo = accounts.map(({ id, type, archived, groups }): Account => ({
    id: id!,
    ...(change.type && type ? { type } : {}),
    ...(change.archived === undefined ? {} : { archived: archived ?? false }),
    ...(change.groups ? { groups: refs((groups ?? []).map((group) => group.id!)) } : {}),
  }));
  return { items, undo };
}

export interface AccountMove {
  readonly account: Account;
  /** Ids of its groups afterwards. */
  readonly groups: readonly string[];
}

/** The group that a row of the tree is in: the last one of its parent's key. */
export function groupOf(parentKey: string | undefined): string | undefined {
  return parentKey?.split('/g').at(-1) || undefined;
}

/**
 * The groups of an account that is dragged from one group to another; its other groups stay. Without a target it
 * leaves all. Undefined if nothing changes.
 */
export function movedGroups({ groups }: Account, from: string | undefined, to: string | undefined): string[] | undefined {
  const before = (groups ?? []).map(({ id }) => id!);
  const after = to === undefined ? [] : from === undefined ? [...before, to] : before.map((id) => (id === from ? to : id));
  const unique = [...new Set(after)];
  return unique.length === before.length && unique.every((id, index) => id === before[index]) ? undefined : unique;
}

/** Whether a group may move below another one, or without one to the top: not to where it is, and not below itself. */
export function canMoveGroup(groupById: ReadonlyMap<string, Group>, id: string, to: string | undefined): boolean {
  const group = groupById.get(id);
  if (!group || group.parent?.id === to) return false;
  for (let at = to; at !== undefined; at = groupById.get(at)?.parent?.id) {
    if (at === id) return false;
  }
  return true;
}

/** Groups in the order of the tree with their depth, without one and those below it. */
export function groupChoices(groups: readonly Group[], without = ''): { readonly id: string; readonly label: string }[] {
  const children = new Map<string, Group[]>();
  for (const group of groups) {
    const parent = group.parent?.id ?? '';
    children.set(parent, [...(children.get(parent) ?? []), group]);
  }
  const found: { id: string; label: string }[] = [];
  const visit = (parent: string, depth: number) => {
    for (const group of [...(children.get(parent) ?? [])].sort((a, b) => a.name!.localeCompare(b.name!))) {
      if (group.id === without) continue;
      found.push({ id: group.id!, label: `${'\u2003'.repeat(depth)}${group.name}` });
      visit(group.id!, depth + 1);
    }
  };
  visit('', 0);
  return found;
}

/** Names of new accounts, one a line; blank lines and repetitions are skipped. */
export function readNames(text: string): string[] {
  return [...new Set(text.split('\n').map((line) => line.trim()).filter(Boolean))];
}
