import { expect, test } from 'vitest';
import type { Transaction } from '~/api/types';
import { LineIndex, rowsOfLine, type RowChange } from './lines';

const row = (id: string, entry?: string, date = '2026-03-01') =>
  ({ id, date, properties: entry ? { entry_id: entry } : {} }) as Transaction;
const NONE: ReadonlySet<string> = new Set();

test('legs of one entry and day are one line', () => {
  const rows = [row('a'), row('b', 'e1'), row('c', 'e1'), row('d', 'e2'), row('e', 'e1', '2026-02-01')];
  const lines = new LineIndex().sync(rows, [], NONE);
  expect(lines.map(rowsOfLine)).toEqual([[0], [1, 2], [3], [4]]);
});

test('an opened entry is followed by its legs', () => {
  const rows = [row('a', 'e1'), row('b'), row('c', 'e1'), row('d', 'e2'), row('e', 'e2')];
  const lines = new LineIndex().sync(rows, [], new Set(['2026-03-01 e1', '2026-03-01 e2']));
  expect(lines).toEqual([
    { kind: 'entry', key: '2026-03-01 e1', legs: [0, 2] }, { kind: 'leg', index: 0 }, { kind: 'leg', index: 2 }, 1,
    { kind: 'entry', key: '2026-03-01 e2', legs: [3, 4] }, { kind: 'leg', index: 3 }, { kind: 'leg', index: 4 },
  ]);
});

test('appended rows are added to the lines, and a new structure begins again', () => {
  const index = new LineIndex();
  const rows = [row('a', 'e1'), row('b')];
  expect(index.sync(rows, [], NONE)).toEqual([0, 1]);
  rows.push(row('c', 'e1'), row('d'));
  expect(index.sync(rows, [], NONE).map(rowsOfLine)).toEqual([[0, 2], [1], [3]]);
  rows.splice(0, 1);
  expect(index.sync(rows, [{ start: 0, removed: 1, added: 0 }], NONE).map(rowsOfLine)).toEqual([[0], [1], [2]]);
});

/** A generator of numbers below a limit; the same seed gives the same ones (xorshift). */
function dice(seed: number): (limit: number) => number {
  let state = seed + 1;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

test('changed rows give the same lines as a new index', () => {
  for (let seed = 0; seed < 300; seed += 1) {
    const roll = dice(seed);
    let next = 0;
    const make = (date: string) => row(`${next += 1}`, roll(3) === 0 ? undefined : `e${roll(4)}`, date);
    const day = (at: number) => `2026-03-${String(28 - at).padStart(2, '0')}`;
    const rows = Array.from({ length: 30 }, (_, at) => make(day(at >> 2)));
    const keys = () => new Set([0, 1, 2].map(() => `${day(roll(10))} e${roll(4)}`));
    const changes: RowChange[] = [];
    const index = new LineIndex();
    let open: ReadonlySet<string> = keys();
    for (let step = 0; step < 12; step += 1) {
      const action = roll(4);
      if (action === 0) open = keys();
      if (action === 1) {
        const last = rows.at(-1)?.date ?? day(0);
        for (let count = roll(4); count > 0; count -= 1) rows.push(make(last));
      }
      if (action > 1) {
        const start = roll(rows.length + 1);
        const removed = Math.min(roll(6), rows.length - start);
        const dates = rows.slice(Math.max(0, start - 1), start + removed + 1).map(({ date }) => date!);
        const added = Array.from({ length: roll(6) }, () => dates[roll(dates.length)] ?? day(0)).sort().reverse().map(make);
        rows.splice(start, removed, ...added);
        changes.push({ start, removed, added: added.length });
      }
      if (roll(3) > 0) expect(index.sync(rows, changes, open), `seed ${seed}, step ${step}`).toEqual(new LineIndex().sync(rows, [], open));
    }
  }
});

test('a change of one row in half a million looks at few of them', () => {
  const rows = Array.from({ length: 500_000 }, (_, at) => row(String(at), undefined, `2026-03-${String(28 - Math.floor(at / 20_000)).padStart(2, '0')}`));
  const index = new LineIndex();
  index.sync(rows, [], NONE);
  let reads = 0;
  const counted = new Proxy(rows, {
    get: (target, key) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
      return Reflect.get(target, key) as unknown;
    },
  });
  rows.splice(250_000, 1);
  expect(index.sync(counted, [{ start: 250_000, removed: 1, added: 0 }], NONE)).toHaveLength(499_999);
  expect(reads).toBeLessThan(200_000);
});

test('half a million rows are indexed within two seconds', () => {
  const rows = Array.from({ length: 500_000 }, (_, at) => row(String(at), at % 10 === 0 ? `e${Math.floor(at / 20)}` : undefined));
  const begin = performance.now();
  const lines = new LineIndex().sync(rows, [], NONE);
  expect(performance.now() - begin).toBeLessThan(2000);
  expect(lines.length).toBe(475_000);
});
