import { describe, expect, test } from 'vitest';
import {
  acceptSuggestions, confirmationOf, countOutcomes, decide, hasDecisions, NO_DECISIONS, otherAccount, possibleOutcomes, proposalOf, reasonOf, reset,
} from './decisions';
import type { ImportRecord } from './types';

const bank = { id: '1', name: 'Bank' };
const unknown = { name: 'Uncategorised expenses' };

const record = (number: number, parts: Partial<ImportRecord> = {}): ImportRecord => ({
  record: number, outcome: 'NEW', date: '2026-03-01', amount: '-12.50', description: 'NETFLIX', from: bank, to: unknown, uncategorised: true, reason: 'not in the book', ...parts,
});
const suggestion = { account: { id: '7', name: 'Films' }, confidence: 0.8, reason: '4 of 4 earlier NETFLIX' };
const suggested = (number: number, confidence = 0.8) => record(number, { suggestion: { ...suggestion, confidence } });

const COUNTS = { new: 5, existing: 1, matched: 2, skipped: 1, refused: 1, total: 10, drafts: 0, locked: 0 };

test('the other account is the side that is not the statement', () => {
  expect(otherAccount(record(1))).toBe(unknown);
  expect(otherAccount(record(1, { amount: '12.50', from: unknown, to: bank }))).toBe(unknown);
  expect(otherAccount({ record: 1, outcome: 'REFUSED' })).toBeUndefined();
});

describe('the proposal', () => {
  test('an uncategorised record has no account, and an offer if there is a suggestion', () => {
    expect(proposalOf(record(1), NO_DECISIONS)).toMatchObject({ account: undefined, source: 'none', isOffered: false });
    expect(proposalOf(suggested(1), NO_DECISIONS)).toMatchObject({ account: undefined, isOffered: true });
  });

  test('suggestions from the threshold on are accepted', () => {
    const above = { ...NO_DECISIONS, acceptAbove: 0.8 };
    expect(proposalOf(suggested(1), above)).toMatchObject({ account: 'Films', source: 'suggestion', isOffered: false });
    expect(proposalOf(suggested(1, 0.79), above)).toMatchObject({ account: undefined, isOffered: true });
  });

  test('a rule has priority over a suggestion, and a decision over both', () => {
    const ruled = record(1, { to: { id: '3', name: 'Food' }, uncategorised: false, rule: 14, suggestion });
    expect(proposalOf(ruled, { ...NO_DECISIONS, acceptAbove: 0 })).toMatchObject({ account: 'Food', source: 'rule' });
    expect(reasonOf(ruled, proposalOf(ruled, NO_DECISIONS))).toBe('Rule on line 14');
    const decided = decide(NO_DECISIONS, ruled, { account: '9', accountName: 'Rent' });
    expect(proposalOf(ruled, decided)).toMatchObject({ account: 'Rent', accountId: '9', source: 'decision' });
  });

  test('an account that does not exist yet has a name only', () => {
    const decided = decide(NO_DECISIONS, record(1), { account: 'Trips', accountName: 'Trips' });
    expect(proposalOf(record(1), decided)).toMatchObject({ account: 'Trips', accountId: undefined });
  });
});

describe('decisions', () => {
  test('what equals the preview is no decision', () => {
    const same = decide(NO_DECISIONS, record(1), { description: ' NETFLIX ', outcome: 'NEW', tags: [] });
    expect(same).toEqual(NO_DECISIONS);
    expect(hasDecisions(same)).toBe(false);
  });

  test('a record that is skipped loses account, description and tags, which the server would refuse', () => {
    const filled = decide(NO_DECISIONS, record(1), { account: '9', accountName: 'Rent', description: 'Films', tags: ['tv'] });
    expect(decide(filled, record(1), { outcome: 'SKIPPED' }).byRecord[1]).toEqual({ was: 'NEW', outcome: 'SKIPPED' });
  });

  test('a match implies its outcome; the match of the preview is none', () => {
    const open = record(4, { candidates: [{ id: 't9', amount: '12.50', description: 'Netflix', posted: true }] });
    expect(decide(NO_DECISIONS, open, { match: 't9' }).byRecord[4]).toEqual({ was: 'NEW', outcome: 'MATCHED', match: 't9' });
    const matched = record(5, { outcome: 'MATCHED', transactionId: 't1' });
    expect(decide(NO_DECISIONS, matched, { match: 't1', outcome: 'MATCHED' })).toEqual(NO_DECISIONS);
  });

  test('they are taken back for the given records', () => {
    const two = decide(decide(NO_DECISIONS, record(1), { outcome: 'SKIPPED' }), record(2), { outcome: 'SKIPPED' });
    expect(Object.keys(reset(two, [record(1)]).byRecord)).toEqual(['2']);
  });

  test('only suggestions that are open are accepted', () => {
    const { decisions, count } = acceptSuggestions(NO_DECISIONS, [record(1), suggested(2), suggested(3)]);
    expect(count).toBe(2);
    expect(decisions.byRecord[3]).toEqual({ was: 'NEW', account: '7', accountName: 'Films' });
    expect(acceptSuggestions(decisions, [suggested(2)]).count).toBe(0);
  });
});

test('outcomes that the server accepts', () => {
  expect(possibleOutcomes(record(1))).toEqual(['NEW', 'SKIPPED']);
  expect(possibleOutcomes(record(1, { outcome: 'MATCHED' }))).toEqual(['NEW', 'MATCHED', 'SKIPPED']);
  expect(possibleOutcomes(record(1, { outcome: 'SKIPPED', transactionId: 't1' }))).toEqual(['NEW', 'SKIPPED']);
  expect(possibleOutcomes(record(1, { outcome: 'SKIPPED' }))).toEqual([]);
  expect(possibleOutcomes(record(1, { outcome: 'REFUSED' }))).toEqual([]);
});

test('counts follow the decisions and keep their total', () => {
  const decided = decide(decide(NO_DECISIONS, record(1), { outcome: 'SKIPPED' }), record(2, { outcome: 'MATCHED' }), { outcome: 'NEW' });
  const counts = countOutcomes(COUNTS, decided);
  expect(counts).toEqual({ NEW: 5, EXISTING: 1, MATCHED: 1, SKIPPED: 2, REFUSED: 1 });
  expect(Object.values(counts).reduce((left, right) => left + right)).toBe(COUNTS.total);
});

test('the confirmation names what was decided, in the order of the file', () => {
  const toCreate = [{ name: 'Trips', type: 'OUTGOING' as const }, { name: 'Uncategorised expenses', type: 'OUTGOING' as const }];
  expect(confirmationOf(NO_DECISIONS, toCreate)).toEqual({});
  const decided = decide(decide(NO_DECISIONS, record(20), { account: '9', accountName: 'Rent', tags: ['flat'] }), record(3), { outcome: 'SKIPPED' });
  expect(confirmationOf({ ...decided, acceptAbove: 0.95, refusedAccounts: ['Trips', 'Gone'] }, toCreate)).toEqual({
    decisions: [{ record: 3, outcome: 'SKIPPED' }, { record: 20, account: '9', tags: ['flat'] }],
    acceptAbove: 0.95,
    createAccounts: ['Uncategorised expenses'],
  });
});
