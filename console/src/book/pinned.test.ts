import { expect, test } from 'vitest';
import { viewQuery } from './pinned';

const at = (path: string, terms = '', text = '') =>
  viewQuery({ path, terms, text, accountName: (id) => (id === '7' ? 'Credit Card' : undefined), groupName: () => undefined });

test('the query of a view has its account, period and text', () => {
  expect(at('/b/1/transactions', 'on:2026-03', '#food')).toBe('on:2026-03 #food');
  expect(at('/b/1/accounts/7', 'on:2026')).toBe("account:'Credit Card' on:2026");
  expect(at('/b/1/groups/9', '', 'rent')).toBe('group:9 rent');
});

test('views without a list have no query', () => {
  expect(at('/b/1', '', '#food')).toBe('');
  expect(at('/b/1/accounts', 'on:2026')).toBe('');
  expect(at('/b/1/transactions')).toBe('');
});
