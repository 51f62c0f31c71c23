import { expect, test } from 'vitest';
import type { Transaction } from '~/api/types';
import { changeForLater, laterQuery } from './later';

test('later drafts of a series are those after the day of the row', () => {
  expect(laterQuery({ date: '2026-01-31', properties: { series: 'rent 1' } } as unknown as Transaction)).toBe("series:'rent 1' is:draft after:2026-02-01");
  expect(laterQuery({ date: '2026-01-31', properties: {} } as Transaction)).toBeUndefined();
});

test('later drafts keep their own date, files and remote ids', () => {
  expect(changeForLater({ date: '2026-01-01', amount: '5', files: [], remoteIds: [] })).toEqual({ amount: '5' });
});
