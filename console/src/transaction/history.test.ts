import { expect, test } from 'vitest';
import { differencesOf, eventLabel, type Event } from './history';

const formats = {
  day: (iso: string) => iso.split('-').reverse().join('/'), amount: (plain: string) => `${plain} €`,
  account: (id: string) => ({ 1: 'Cash' })[id], from: 'From', to: 'To',
};
const event = (previousAttributes: Record<string, string>, transaction: object) =>
  ({ type: 'TRANSACTION_UPDATED', data: { object: { transaction }, previousAttributes } }) as unknown as Event;

test('an update is shown as differences in the order of the form', () => {
  const found = differencesOf(
    event(
      { shop: '', amount: '10.00', creditAccId: '1', dateValue: '20260301', files: '["a","b"]', urls: '' },
      { date: '2026-04-01', amount: '12.00', creditAccount: { id: '2', name: 'Bank' }, properties: { shop: 'Nino' }, files: [{ name: 'a.pdf' }], urls: ['https://x.y/'] },
    ),
    formats,
  );
  expect(found).toEqual([
    { name: 'Date', before: '01/03/2026', after: '01/04/2026' },
    { name: 'Amount', before: '10.00 €', after: '12.00 €' },
    { name: 'From', before: 'Cash', after: 'Bank' },
    { name: 'Links', before: '', after: 'https://x.y/' },
    { name: 'Files', before: '2 files', after: 'a.pdf' },
    { name: 'shop', before: '', after: 'Nino' },
  ]);
});

test('unknown types and damaged lists are readable', () => {
  expect(eventLabel('SOMETHING_NEW')).toBe('something new');
  expect(differencesOf(event({ urls: '{' }, { urls: [] }), formats)).toEqual([{ name: 'Links', before: '', after: '' }]);
});
