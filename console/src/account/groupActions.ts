/** Writes on groups. */
import { api } from '~/api/client';
import type { Account, Group } from '~/api/types';
import { useBook } from '~/book/types';
import { useAction } from '~/ui/actions';

/** The contract calls this id an int64; as a number it would lose digits. */
const pathId = (id: string): number => id as unknown as number;

export function useCreateGroup() {
  const { id: bookId } = useBook();
  return useAction({
    bookId,
    done: (group: Group) => `Created the group ${group.name}`,
    run: async (body, idempotencyKey) => (await api.post('/v5/books/{bookId}/groups', { path: { bookId }, body, idempotencyKey })).data,
    undo: (_body, { id }, idempotencyKey) => api.delete('/v5/books/{bookId}/groups/{id}', { path: { bookId, id: pathId(id!) }, idempotencyKey }),
  });
}

export interface UpdateGroupInput {
  /** For the message. */
  readonly name: string;
  readonly body: Group;
  readonly before: Group;
  readonly etag: string | undefined;
}

export function useUpdateGroup() {
  const { id: bookId } = useBook();
  const update = (body: Group, idempotencyKey: string, ifMatch?: string) =>
    api.put('/v5/books/{bookId}/groups', { path: { bookId }, body, idempotencyKey, ifMatch });
  return useAction({
    bookId,
    done: ({ name }: UpdateGroupInput) => `Saved the group ${name}`,
    run: ({ body, etag }, key) => update(body, key, etag),
    undo: ({ before }, _result, key) => update(before, key),
  });
}

export interface MoveGroupInput {
  readonly group: Group;
  /** The group that it moves below; undefined is the top level. */
  readonly to: Group | undefined;
}

/** Moves a group with all that is below it. */
export function useMoveGroup() {
  const { id: bookId } = useBook();
  const move = (group: Group, parentId: string | undefined, idempotencyKey: string) => {
    const body = { id: group.id!, parent: parentId ? { id: parentId } : null } as Group;
    return api.put('/v5/books/{bookId}/groups', { path: { bookId }, body, idempotencyKey });
  };
  return useAction({
    bookId,
    done: ({ group, to }: MoveGroupInput) => `Moved the group ${group.name} ${to ? `to ${to.name}` : 'to the top level'}`,
    run: ({ group, to }, key) => move(group, to?.id, key),
    undo: ({ group }, _result, key) => move(group, group.parent?.id, key),
  });
}

/** Deletes a group. Its accounts stay, and its groups move up (4.14). The undo puts all of them back. */
export function useDeleteGroup() {
  const { id: bookId, accounts, groups } = useBook();
  const path = { bookId };
  return useAction({
    bookId,
    done: (group: Group) => `Deleted the group ${group.name}. Its accounts stay`,
    run: async (group, idempotencyKey) => {
      const members = accounts.filter((account) => account.groups?.some(({ id }) => id === group.id));
      const children = groups.filter(({ parent }) => parent?.id === group.id);
      await api.delete('/v5/books/{bookId}/groups/{id}', { path: { bookId, id: pathId(group.id!) }, idempotencyKey });
      return { members, children };
    },
    undo: async (group, { members, children }, key) => {
      const { name, hidden, properties, parent } = group;
      const body: Group = { name: name!, hidden: hidden ?? false, properties: properties ?? {}, ...(parent ? { parent: { id: parent.id! } } : {}) };
      const { id } = (await api.post('/v5/books/{bookId}/groups', { path, body, idempotencyKey: `${key}g` })).data;
      const items = members.map((account): Account => ({
        id: account.id!, groups: (account.groups ?? []).map((member) => ({ id: member.id === group.id ? id! : member.id! })),
      }));
      if (items.length > 0) await api.put('/v5/books/{bookId}/accounts/batch', { path, body: { items }, idempotencyKey: `${key}a` });
      const moved = children.map((child): Group => ({ id: child.id!, parent: { id: id! } }));
      if (moved.length > 0) await api.put('/v5/books/{bookId}/groups/batch', { path, body: { items: moved }, idempotencyKey: `${key}c` });
    },
  });
}
