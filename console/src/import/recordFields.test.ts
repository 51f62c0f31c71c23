import { describe, expect, test } from 'vitest';
import { decide, NO_DECISIONS } from './decisions';
import { fieldsOf, problemOf, saveFields } from './recordFields';
import type { ImportRecord } from './types';

const record: ImportRecord = {
  record: 3, outcome: 'NEW', date: '2026-03-01', amount: '-12.50', description: 'REWE', uncategorised: true,
  from: { id: '1', name: 'Bank' }, to: { name: 'Uncategorised expenses' },
  suggestion: { account: { id: '7', name: 'Food' }, confidence: 1, reason: '5 of 5 earlier REWE' },
  candidates: [{ id: 't9', amount: '12.50', description: 'Groceries', posted: true }],
};

test('nothing can be decided about records that are refused or here already', () => {
  expect(fieldsOf({ record: 1, outcome: 'REFUSED' }, NO_DECISIONS)).toBeUndefined();
  expect(fieldsOf({ record: 1, outcome: 'EXISTING', transactionId: 't1' }, NO_DECISIONS)).toBeUndefined();
});

describe('saving', () => {
  const fields = fieldsOf(record, NO_DECISIONS)!;

  test('unchanged fields decide nothing, also where a suggestion was accepted', () => {
    const above = { ...NO_DECISIONS, acceptAbove: 0.9 };
    expect(saveFields(NO_DECISIONS, record, fields)).toEqual(NO_DECISIONS);
    expect(saveFields(above, record, fieldsOf(record, above)!)).toEqual(above);
  });

  test('account, description and tags become a decision', () => {
    const saved = saveFields(NO_DECISIONS, record, { ...fields, account: '8', accountName: 'Home', description: 'Rewe', tags: '#food week_9' });
    expect(saved.byRecord[3]).toEqual({ was: 'NEW', account: '8', accountName: 'Home', description: 'Rewe', tags: ['food', 'week_9'] });
    expect(fieldsOf(record, saved)).toMatchObject({ account: '8', description: 'Rewe', tags: '#food #week_9' });
  });

  test('a match is kept until the outcome is another one', () => {
    const matched = saveFields(NO_DECISIONS, record, { ...fields, outcome: 'MATCHED', match: 't9' });
    expect(matched.byRecord[3]).toEqual({ was: 'NEW', outcome: 'MATCHED', match: 't9' });
    expect(saveFields(matched, record, { ...fieldsOf(record, matched)!, outcome: 'NEW' })).toEqual(NO_DECISIONS);
  });

  test('an emptied account takes the decision back', () => {
    const chosen = decide(NO_DECISIONS, record, { account: '8', accountName: 'Home' });
    expect(saveFields(chosen, record, { ...fieldsOf(record, chosen)!, account: '', accountName: '' })).toEqual(NO_DECISIONS);
  });
});

test('what the server would refuse is refused at once', () => {
  const fields = fieldsOf(record, NO_DECISIONS)!;
  expect(problemOf({ ...fields, outcome: 'MATCHED' })).toMatch(/Choose the transaction/);
  expect(problemOf({ ...fields, tags: '#a-b' })).toMatch(/letters/);
  expect(problemOf({ ...fields, tags: '-food' })).toMatch(/letters/);
  expect(problemOf(fields)).toBeUndefined();
});
