import { expect, test } from 'vitest';
import { canonicalJson } from './canonical';
import { ChainWalk, hashAfter, type Link, type WalkOptions } from './chain';
import { fromHex } from './sha256';

const bookId = 'book';
const id = (sequence: number) => sequence.toString(16).padStart(12, '0') + bookId;
const canonical = (sequence: number, name: string) => canonicalJson({
  userId: '7', type: 'ACCOUNT_CREATED', sequence, resource: '42', id: id(sequence), data: { object: { name } }, createdAt: '1700000000000', bookId, agentId: 'api',
});

async function log(count: number): Promise<Link[]> {
  const links: Link[] = [];
  let previous: Uint8Array = new Uint8Array(32);
  for (let sequence = 1; sequence <= count; sequence += 1) {
    const text = canonical(sequence, 'Cash');
    const hash = await hashAfter(previous, text);
    links.push({ id: id(sequence), sequence, hash, createdAt: '1700000000000', canonical: text });
    previous = fromHex(hash)!;
  }
  return links;
}

async function walk(links: readonly Link[], options: Partial<WalkOptions> = {}) {
  const chain = new ChainWalk({ bookId, marks: [], hasHidden: false, ...options });
  for (const link of links) await chain.add(link);
  return chain.finish();
}

test('the hash of a published event is that of the server', async () => {
  // The vector of crates/domain/src/event/chain.rs.
  const text = '{"agentId":"api","bookId":"book","createdAt":"1700000000000","data":{"object":{"name":"Cash"}},"id":"000000000001book","resource":"42","sequence":1,"type":"ACCOUNT_CREATED","userId":"7"}';
  expect(canonical(1, 'Cash')).toBe(text);
  expect(await hashAfter(new Uint8Array(32), text)).toBe('14df97b3058bed70788ca1b4d3854b1f2bbecf610706f609bf13e41bad39b74b');
});

test('an intact chain is recomputed to its head', async () => {
  const links = await log(5);
  expect(await walk(links)).toEqual({ head: { sequence: 5, hash: links[4]!.hash }, read: 5, recomputed: 5, matchedMarks: 0, hidden: 0, firstBreak: undefined });
});

test('the first changed event breaks the chain', async () => {
  const links = await log(5);
  const forged = links.map((link) => (link.sequence === 3 ? { ...link, canonical: canonical(3, 'Till') } : link));
  expect((await walk(forged)).firstBreak).toMatchObject({ kind: 'hash', sequence: 3, actual: links[2]!.hash });
});

test('a missing event is named, unless the reader may not see all', async () => {
  const links = (await log(5)).filter(({ sequence }) => sequence !== 2);
  expect((await walk(links)).firstBreak).toMatchObject({ kind: 'missing', sequence: 2 });
  expect(await walk(links, { hasHidden: true })).toMatchObject({ firstBreak: undefined, hidden: 1, recomputed: 3 });
});

test('marks of earlier visits find a rewritten and a shortened log', async () => {
  const links = (await log(4)).map(({ canonical: _, ...link }) => link);
  const seen = { sequence: 3, hash: links[2]!.hash, at: 1 };
  expect(await walk(links, { marks: [seen] })).toMatchObject({ matchedMarks: 1, recomputed: 0, firstBreak: undefined });
  expect((await walk(links, { marks: [{ ...seen, hash: 'f'.repeat(64) }] })).firstBreak).toMatchObject({ kind: 'changed', sequence: 3 });
  expect((await walk(links.slice(0, 2), { marks: [seen] })).firstBreak).toMatchObject({ kind: 'shortened', sequence: 3 });
});

test('ids, hashes and times that do not fit are breaks', async () => {
  const [first, second] = await log(2) as [Link, Link];
  expect((await walk([{ ...first, id: 'x' }])).firstBreak?.kind).toBe('numbering');
  expect((await walk([{ ...first, canonical: undefined, hash: 'XYZ' }])).firstBreak?.kind).toBe('unreadable');
  expect((await walk([first, { ...second, createdAt: '1' }])).firstBreak?.kind).toBe('time');
});

test('an empty log has no head', async () => {
  expect(await walk([])).toMatchObject({ head: undefined, read: 0, firstBreak: undefined });
});

test('canonical JSON sorts keys by code units and keeps the order of lists', () => {
  expect(canonicalJson({ b: [3, { z: null, a: 'é"\n' }], a: true, 'ö': 1, Z: 0.5 })).toBe('{"Z":0.5,"a":true,"b":[3,{"a":"é\\"\\n","z":null}],"ö":1}');
});
