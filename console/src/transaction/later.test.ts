import { expect, test } from 'vitest';
import type { Transaction } from '~/api/types';
import { changeForLater, laterQuery, repeatsOf } from './later';

test('later drafts of a series are those after the day of the row', () => {
  expect(laterQuery({ date: '2026-01-31', properties: { series: 'rent 1' } } as unknown as Transaction)).toBe("series:'rent 1' is:draft after:2026-02-01");
  expect(laterQuery({ date: '2026-01-31', properties: {} } as Transaction)).toBeUndefined();
});

test('later drafts keep their own date, files and remote ids', () => {
  expect(changeForLater({ date: '2026-01-01', amount: '5', files: [], remoteIds: [] })).toEqual({ amount: '5' });
});

test('a leg of a split is repeated by the legs with its accounts, not by the other legs', () => {
  const leg = (id: string, entry: string, to: string, amount: string, description = 'rent'): Transaction => ({
    id, amount, description, creditAccount: { id: 'bank' }, debitAccount: { id: to }, properties: { series: 's', entry_id: entry },
  });
  const later = [leg('1', 'may', 'home', '700'), leg('2', 'may', 'heat', '300'), leg('3', 'june', 'home', '700'), leg('4', 'june', 'heat', '300')];
  expect(repeatsOf(leg('0', 'april', 'home', '700'), later).map(({ id }) => id)).toEqual(['1', '3']);

  const twins = [leg('5', 'may', 'home', '700'), leg('6', 'may', 'home', '50', 'garage'), leg('7', 'june', 'home', '1'), leg('8', 'june', 'home', '2')];
  expect(repeatsOf(leg('0', 'april', 'home', '50', 'garage'), twins).map(({ id }) => id)).toEqual(['6']);
});

test('a row without legs is repeated by all later ones', () => {
  const later: Transaction[] = [{ id: '1', debitAccount: { id: 'other' } }, { id: '2' }];
  expect(repeatsOf({ id: '0', properties: { series: 's' } }, later)).toEqual(later);
});
