import { expect, test } from 'vitest';
import { ChainWalk, hashAfter, type Link, type WalkOptions } from './chain';
import { fromHex } from './sha256';

const bookId = 'book';
const id = (sequence: number) => sequence.toString(16).padStart(12, '0') + bookId;
const createdAt = '1700000000000';
const event = (sequence: number) => ({ id: id(sequence), sequence, type: 'ACCOUNT_CREATED', resource: '42', createdAt });
const canonical = (sequence: number, name: string) => JSON.stringify({ ...event(sequence), data: { object: { name } } });

/** A log as the server lists it, the newest event first. */
async function log(count: number): Promise<Link[]> {
  const links: Link[] = [];
  let previous: Uint8Array = new Uint8Array(32);
  for (let sequence = 1; sequence <= count; sequence += 1) {
    const text = canonical(sequence, 'Cash');
    const hash = await hashAfter(previous, text);
    links.unshift({ ...event(sequence), hash, canonical: text });
    previous = fromHex(hash)!;
  }
  return links;
}

const without = (links: readonly Link[], ...sequences: number[]) => links.filter(({ sequence }) => !sequences.includes(sequence));
const hidden = (links: readonly Link[]) => links.map(({ canonical: _, ...link }) => link);
const changed = (links: readonly Link[], at: number, change: Partial<Link>) => links.map((link) => (link.sequence === at ? { ...link, ...change } : link));

async function walk(links: readonly Link[], options: Partial<WalkOptions> = {}) {
  const chain = new ChainWalk({ bookId, marks: [], hasHidden: false, ...options });
  for (const link of links) await chain.add(link);
  return chain.finish();
}

test('an intact chain is recomputed from its head to its beginning', async () => {
  const links = await log(5);
  expect(await walk(links)).toEqual({ head: { sequence: 5, hash: links[0]!.hash }, read: 5, recomputed: 5, matchedMarks: 0, hidden: 0, firstBreak: undefined });
});

test.each([1, 3, 5])('a change of event %i breaks the chain there', async (at) => {
  const links = await log(5);
  const { firstBreak, recomputed } = await walk(changed(links, at, { canonical: canonical(at, 'Till') }));
  expect(firstBreak).toMatchObject({ kind: 'hash', sequence: at, actual: links[5 - at]!.hash });
  expect(recomputed).toBe(4);
});

test('the earliest of several breaks is named', async () => {
  const links = await log(6);
  const forged = changed(changed(links, 5, { canonical: canonical(5, 'Till') }), 2, { canonical: canonical(2, 'Till') });
  expect((await walk(forged)).firstBreak).toMatchObject({ kind: 'hash', sequence: 2 });
});

test.each(['', 'null', '{}', canonical(2, 'Cash')])('a hash of another text than the event that is shown is a break: %s', async (text) => {
  expect((await walk(changed(await log(3), 3, { canonical: text }))).firstBreak).toMatchObject({ kind: 'other', sequence: 3 });
});

test('an event with another type or resource than the hashed one is a break', async () => {
  expect((await walk(changed(await log(3), 2, { type: 'ACCOUNT_DELETED' }))).firstBreak).toMatchObject({ kind: 'other', sequence: 2 });
  expect((await walk(changed(await log(3), 2, { resource: '43' }))).firstBreak).toMatchObject({ kind: 'other', sequence: 2 });
});

test('a missing event is named, unless the reader may not see all', async () => {
  const links = await log(5);
  expect((await walk(without(links, 2))).firstBreak).toMatchObject({ kind: 'missing', sequence: 2 });
  expect((await walk(without(links, 1, 2))).firstBreak).toMatchObject({ kind: 'missing', sequence: 1 });
  expect(await walk(hidden(without(links, 1, 3, 4)), { hasHidden: true })).toMatchObject({ firstBreak: undefined, hidden: 3, read: 2, recomputed: 0 });
});

test('marks of earlier visits find a rewritten and a shortened log', async () => {
  const links = hidden(await log(4));
  const seen = { sequence: 3, hash: links[1]!.hash, at: 1 };
  expect(await walk(links, { marks: [seen] })).toMatchObject({ matchedMarks: 1, recomputed: 0, firstBreak: undefined });
  expect((await walk(links, { marks: [{ ...seen, hash: 'f'.repeat(64) }] })).firstBreak).toMatchObject({ kind: 'changed', sequence: 3 });
  expect((await walk(links.slice(2), { marks: [seen] })).firstBreak).toMatchObject({ kind: 'shortened', sequence: 3 });
  expect((await walk([], { marks: [seen] })).firstBreak).toMatchObject({ kind: 'shortened', sequence: 3 });
});

test('ids, hashes and times that do not fit are breaks', async () => {
  const links = hidden(await log(2));
  expect((await walk(changed(links, 1, { id: 'x' }))).firstBreak?.kind).toBe('numbering');
  expect((await walk(changed(links, 1, { hash: 'XYZ' }))).firstBreak?.kind).toBe('unreadable');
  expect((await walk(changed(links, 2, { createdAt: '1' }))).firstBreak?.kind).toBe('time');
});

test('an empty log has no head', async () => {
  expect(await walk([])).toMatchObject({ head: undefined, read: 0, firstBreak: undefined });
});
