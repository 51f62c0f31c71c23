import { expect, test } from 'vitest';
import type { Transaction } from '~/api/types';
import { LineIndex, rowsOfLine } from './lines';

const row = (id: string, entry?: string, date = '2026-03-01') =>
  ({ id, date, properties: entry ? { entry_id: entry } : {} }) as Transaction;
const NONE: ReadonlySet<string> = new Set();

test('legs of one entry and day are one line', () => {
  const rows = [row('a'), row('b', 'e1'), row('c', 'e1'), row('d', 'e2'), row('e', 'e1', '2026-02-01')];
  const lines = new LineIndex().sync(rows, 0, NONE);
  expect(lines.map(rowsOfLine)).toEqual([[0], [1, 2], [3], [4]]);
});

test('an opened entry is followed by its legs', () => {
  const rows = [row('a', 'e1'), row('b'), row('c', 'e1'), row('d', 'e2'), row('e', 'e2')];
  const lines = new LineIndex().sync(rows, 0, new Set(['2026-03-01 e1', '2026-03-01 e2']));
  expect(lines).toEqual([
    { kind: 'entry', key: '2026-03-01 e1', legs: [0, 2] }, { kind: 'leg', index: 0 }, { kind: 'leg', index: 2 }, 1,
    { kind: 'entry', key: '2026-03-01 e2', legs: [3, 4] }, { kind: 'leg', index: 3 }, { kind: 'leg', index: 4 },
  ]);
});

test('appended rows are added to the lines, and a new structure begins again', () => {
  const index = new LineIndex();
  const rows = [row('a', 'e1'), row('b')];
  expect(index.sync(rows, 0, NONE)).toEqual([0, 1]);
  rows.push(row('c', 'e1'), row('d'));
  expect(index.sync(rows, 0, NONE).map(rowsOfLine)).toEqual([[0, 2], [1], [3]]);
  rows.splice(0, 1);
  expect(index.sync(rows, 1, NONE).map(rowsOfLine)).toEqual([[0], [1], [2]]);
});

test('half a million rows are indexed within two seconds', () => {
  const rows = Array.from({ length: 500_000 }, (_, at) => row(String(at), at % 10 === 0 ? `e${Math.floor(at / 20)}` : undefined));
  const begin = performance.now();
  const lines = new LineIndex().sync(rows, 0, NONE);
  expect(performance.now() - begin).toBeLessThan(2000);
  expect(lines.length).toBe(475_000);
});
