import { expect, test } from 'vitest';
import { actionLabel, differencesOf, sentenceOf, typeLabel, type Event, type EventFormats, type EventType } from './eventText';

const formats: EventFormats = {
  account: (id) => ({ '1': 'Cash', '2': 'Food' })[id],
  group: (id) => ({ '9': 'Expenses' })[id],
  day: (iso) => iso.split('-').reverse().join('/'),
  amount: (plain) => `€${plain}`,
  from: 'From',
  to: 'To',
};

const event = (type: EventType, object: object, previousAttributes?: Record<string, string>): Event =>
  ({ id: 'e', type, resource: 'r', data: { object, ...(previousAttributes ? { previousAttributes } : {}) } }) as unknown as Event;

const transaction = { description: 'Lunch <b>', amount: '12.50', creditAccount: { id: '1', name: 'Cash' }, debitAccount: { id: '2', name: 'Food' }, properties: { vat: '19' }, urls: ['https://a'], dateValue: 20261127 };

test('a posted transaction is a sentence with amount and accounts', () => {
  expect(sentenceOf(event('TRANSACTION_POSTED', { transaction }), formats)).toEqual({ verb: 'posted', name: 'Lunch <b>', detail: '€12.50 from Cash to Food' });
  expect(sentenceOf(event('TRANSACTION_CREATED', { transaction: {} }), formats)).toEqual({ verb: 'saved the draft', name: 'No description', detail: '' });
});

test('other resources have their name', () => {
  expect(sentenceOf(event('ACCOUNT_CREATED', { name: 'Till' }), formats)).toMatchObject({ verb: 'created the account', name: 'Till' });
  expect(sentenceOf(event('COLLABORATOR_ADDED', { email: 'bob@example.com', permission: 'VIEWER' }), formats)).toMatchObject({ verb: 'shared the book with', name: 'bob@example.com', detail: 'can view' });
  expect(sentenceOf(event('RECONCILIATION_CREATED', { account: { id: '1', name: 'Cash' }, date: '2026-03-31' }), formats)).toEqual({ verb: 'created the reconciliation', name: 'Cash', detail: 'up to 31/03/2026' });
  expect(sentenceOf(event('QUERY_DELETED', { query: '#a', title: '' }), formats)).toMatchObject({ verb: 'deleted the saved query', name: '#a' });
});

test('differences show names, days and amounts before and after', () => {
  const previous = { debitAccId: '7', amount: '9', dateValue: '20261101', vat: '', description: 'Lunc', urls: '[]' };
  expect(differencesOf(event('TRANSACTION_UPDATED', { transaction }, previous), formats)).toEqual([
    { field: 'date', before: '01/11/2026', after: '27/11/2026' },
    { field: 'description', before: 'Lunc', after: 'Lunch <b>' },
    { field: 'amount', before: '€9', after: '€12.50' },
    { field: 'to', before: 'account 7', after: 'Food' },
    { field: 'links', before: '', after: 'https://a' },
    { field: 'vat', before: '', after: '19' },
  ]);
  const withFiles = { ...transaction, files: [{ id: 'x', name: 'a.pdf' }] };
  expect(differencesOf(event('TRANSACTION_UPDATED', { transaction: withFiles }, { files: '["a","b"]' }), formats)).toEqual([{ field: 'files', before: '2 files', after: 'a.pdf' }]);
});

test('differences of accounts show groups and leave out the mirror of archived', () => {
  const object = { name: 'Cash', archived: true, groups: [{ id: '9' }], properties: {} };
  expect(differencesOf(event('ACCOUNT_UPDATED', object, { active: 'true', archived: 'false', groups: '[]' }), formats)).toEqual([
    { field: 'archived', before: 'no', after: 'yes' },
    { field: 'groups', before: '', after: 'Expenses' },
  ]);
});

test('damaged values are shown as they are', () => {
  const [difference] = differencesOf(event('ACCOUNT_UPDATED', { groups: 'x' }, { groups: '{not json' }), formats);
  expect(difference).toMatchObject({ before: 'group {not json' });
  expect(sentenceOf(event('ACCOUNT_CREATED', null as unknown as object), formats).name).toBe('');
});

test('what happened to a known item has a label', () => {
  expect([actionLabel('TRANSACTION_POSTED'), actionLabel('TRANSACTION_DELETED'), actionLabel('ACCOUNT_CREATED'), actionLabel('SOMETHING_NEW' as EventType)]).toEqual(['Posted', 'Moved to the trash', 'Created', 'New']);
});

test('every type has a label', () => {
  expect(typeLabel('TRANSACTION_POSTED')).toBe('Transaction posted');
  expect(typeLabel('QUERY_CREATED')).toBe('Saved query created');
  expect(typeLabel('BOOK_AUDITED')).toBe('Book audited');
});
