import { expect, test } from 'vitest';
import type { Transaction } from '~/api/types';
import { changeOfDraft, draftOf } from './panelDraft';

const base = {
  id: 't', date: '2026-03-01', amount: '5.00', description: 'Tea', creditAccount: { id: '1' }, debitAccount: { id: '2' },
  urls: ['https://a.example/'], remoteIds: ['r1'], properties: { shop: 'Nino', place: 'Rome', sync_: '7' },
} as Transaction;

test('an untouched form changes nothing', () => {
  expect(changeOfDraft(draftOf(base, 'e'))).toEqual({});
});

test('properties are set, cleared and kept; hidden ones stay out of it', () => {
  const draft = { ...draftOf(base, 'e'), properties: [['shop', 'Nino '], ['people', ' 3'], [' ', 'x']] as const };
  expect(changeOfDraft(draft)).toEqual({ properties: { place: '', people: '3' } });
});

test('links and remote ids are lines', () => {
  const draft = { ...draftOf(base, 'e'), urls: 'https://a.example/\n\n https://b.example/ ', remoteIds: '' };
  expect(changeOfDraft(draft)).toEqual({ urls: ['https://a.example/', 'https://b.example/'], remoteIds: [] });
});
