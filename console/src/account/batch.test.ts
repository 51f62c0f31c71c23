import { expect, test } from 'vitest';
import type { Group } from '~/api/types';
import { canMoveGroup, changeItems, groupChoices, groupOf, movedGroups, readNames } from './batch';

const accounts = [
  { id: '1', type: 'ASSET', archived: false, groups: [{ id: 'a' }] },
  { id: '2', type: 'LIABILITY', archived: true, groups: [] },
] as const;

test('a change has its undo with the former values', () => {
  expect(changeItems(accounts as never, { archived: true })).toEqual({ items: [{ id: '1', archived: true }, { id: '2', archived: true }], undo: [{ id: '1', archived: false }, { id: '2', archived: true }] });
  expect(changeItems(accounts as never, { groups: ['b'] }).undo).toEqual([{ id: '1', groups: [{ id: 'a' }] }, { id: '2', groups: [] }]);
  expect(changeItems(accounts as never, { type: 'INCOMING' }).items[0]).toEqual({ id: '1', type: 'INCOMING' });
});

test('a group cannot move below itself', () => {
  const groups = [{ id: '1', name: 'A' }, { id: '2', name: 'B', parent: { id: '1' } }, { id: '3', name: 'C' }];
  expect(groupChoices(groups).map(({ label }) => label)).toEqual(['A', '\u2003B', 'C']);
  expect(groupChoices(groups, '1').map(({ id }) => id)).toEqual(['3']);
});

test('names are read one a line', () => {
  expect(readNames('Rent\n\n Food \nRent')).toEqual(['Rent', 'Food']);
});

const inGroups = (...ids: string[]) => ({ id: '1', groups: ids.map((id) => ({ id })) }) as never;

test('an account that is dragged leaves its group and keeps its others', () => {
  expect(movedGroups(inGroups('a', 'b'), 'a', 'c')).toEqual(['c', 'b']);
  expect(movedGroups(inGroups('a', 'b'), 'a', 'b')).toEqual(['b']);
  expect(movedGroups(inGroups(), undefined, 'c')).toEqual(['c']);
  expect(movedGroups(inGroups('a', 'b'), 'a', undefined)).toEqual([]);
  expect(movedGroups(inGroups('a'), 'a', 'a')).toBeUndefined();
  expect(movedGroups(inGroups(), undefined, undefined)).toBeUndefined();
});

test('an account comes from the innermost group of its row', () => {
  expect([groupOf('/g12/g7'), groupOf('/g12'), groupOf(undefined)]).toEqual(['7', '12', undefined]);
});

test('a group moves to other groups and to the top, but not to where it is or below itself', () => {
  const groups = [{ id: 'a' }, { id: 'b', parent: { id: 'a' } }, { id: 'c', parent: { id: 'b' } }, { id: 'd' }] as Group[];
  const byId = new Map(groups.map((group) => [group.id!, group]));
  const targets = (id: string) => ['a', 'b', 'c', 'd', undefined].filter((to) => canMoveGroup(byId, id, to));
  expect(targets('a')).toEqual(['d']);
  expect(targets('b')).toEqual(['d', undefined]);
  expect(targets('c')).toEqual(['a', 'd', undefined]);
  expect(targets('x')).toEqual([]);
});
