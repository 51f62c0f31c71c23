import { expect, test } from 'vitest';
import { toPlain } from '~/lib/money';
import { treeRows, type TreeInput } from './tree';

const group = (id: string, type: string, parent?: string, hidden = false) =>
  ({ id, name: `G${id}`, normalizedName: `g${id}`, type, hidden, ...(parent ? { parent: { id: parent } } : {}) }) as TreeInput['groups'][number];
const account = (id: string, groups: string[], type = 'ASSET', archived = false) =>
  ({ id, name: `A${id}`, normalizedName: `a${id}`, type, archived, groups: groups.map((of) => ({ id: of })) }) as TreeInput['accounts'][number];

const input = {
  groups: [group('1', 'OUTGOING'), group('2', 'ASSET'), group('3', 'ASSET', '2'), group('4', 'ASSET', undefined, true)],
  accounts: [account('10', ['3']), account('11', ['1', '2']), account('12', [], 'INCOMING'), account('13', ['3'], 'ASSET', true)],
  balances: {
    accountBalances: [{ normalizedName: 'a12', credit: true, permanent: false, cumulativeBalance: '9.00', periodBalance: '5.00' }],
    groupBalances: [{
      normalizedName: 'g2', credit: false, permanent: true, cumulativeBalance: '-70.00', periodBalance: '-1.00',
      accountBalances: [], groupBalances: [],
    }],
  },
  collapsed: new Set(),
} as unknown as TreeInput;
const names = (rows: ReturnType<typeof treeRows>) => rows.map(({ depth, name }) => `${' '.repeat(depth)}${name}`);

test('groups are ordered by type, accounts stand in each of their groups, hidden and archived ones nowhere', () => {
  expect(names(treeRows(input))).toEqual(['G2', ' G3', '  A10', ' A11', 'G1', ' A11', 'Income', 'A12']);
  const rows = treeRows(input);
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
});

test('collapsed groups hide what is below them', () => {
  expect(names(treeRows({ ...input, collapsed: new Set(['2']) }))).toEqual(['G2', 'G1', ' A11', 'Income', 'A12']);
});

test('balances have the sign that people expect', () => {
  const balance = (name: string) => toPlain(treeRows(input).find((row) => row.name === name)!.balance!);
  expect(balance('G2')).toBe('70.00');
  expect(balance('A12')).toBe('5.00');
});
