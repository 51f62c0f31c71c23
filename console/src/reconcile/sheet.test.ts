import { describe, expect, it } from 'vitest';
import type { Account, Transaction } from '~/api/types';
import { parseDecimal, toPlain } from '~/lib/money';
import type { Reconciliation } from './queries';
import { lineEffect, openingBalance, otherAccounts, rowEffect, sheetRows, tickChanges, totals, withLegIds } from './sheet';

const bank = { id: '1', credit: false, permanent: true } as Account;
const card = { id: '2', credit: true, permanent: true } as Account;
const row = (id: string, from: string, to: string, amount: string, rest: Partial<Transaction> = {}): Transaction => ({
  id, date: '2026-03-01', amount, creditAccount: { id: from }, debitAccount: { id: to }, createdAt: id, ...rest,
});
const d = parseDecimal;

describe('a reconciliation', () => {
  it('has the sign that people expect', () => {
    expect(toPlain(rowEffect(row('a', '9', '1', '5.00'), bank))).toBe('5.00');
    expect(toPlain(rowEffect(row('a', '1', '9', '5.00'), bank))).toBe('-5.00');
    expect(toPlain(rowEffect(row('a', '2', '9', '5.00'), card))).toBe('5.00');
    expect(toPlain(rowEffect(row('a', '1', '9', '5.00', { trashed: true }), bank))).toBe('0');
  });

  it('agrees when opening and ticked rows make the closing balance', () => {
    const rows = [row('a', '9', '1', '100.10'), row('b', '1', '9', '30.05'), row('c', '1', '9', '7.00')];
    const open = totals(rows, new Set(['a']), bank, d('50.00'), d('120.05'));
    expect([toPlain(open.movement), toPlain(open.difference), open.isEqual]).toEqual(['100.10', '-30.05', false]);
    expect(totals(rows, new Set(['a', 'b']), bank, d('50.00'), d('120.05')).isEqual).toBe(true);
  });

  it('opens with the closing balance of the statement before', () => {
    const list = [{ date: '2026-03-31', closingBalance: '20.00' }, { date: '2026-02-28', closingBalance: '10.00' }] as Reconciliation[];
    expect(toPlain(openingBalance(list, '2026-04-30').balance)).toBe('20.00');
    expect(toPlain(openingBalance(list, '2026-03-15').balance)).toBe('10.00');
    expect(openingBalance(list, '2026-01-31')).toMatchObject({ from: undefined });
  });

  it('leaves out rows of other statements and begins with the oldest', () => {
    const on = (id: string) => ({ creditAccount: { id: '1', reconciliationId: id } });
    const rows = [row('c', '1', '9', '1.00', { date: '2026-03-03' }), row('b', '1', '9', '1.00', on('x')), row('a', '1', '9', '1.00', on('own')), row('c', '1', '9', '1.00')];
    expect(sheetRows(rows, '1', 'own').map(({ id }) => id)).toEqual(['a', 'c']);
    expect(sheetRows(rows, '1', undefined).map(({ id }) => id)).toEqual(['c']);
  });

  it('ticks all legs of an entry that stand on one day', () => {
    const entry = { properties: { entry_id: 'e' } };
    const rows = [row('a', '1', '8', '30.00', entry), row('b', '1', '9', '5.00'), row('c', '1', '9', '2.50', entry), row('d', '1', '9', '1.00', { ...entry, date: '2026-03-02' })];
    expect(withLegIds(rows, ['c'])).toEqual(['a', 'c']);
    expect(withLegIds(rows, ['b', 'd'])).toEqual(['b', 'd']);
    const legs = [rows[0]!, rows[2]!];
    expect(toPlain(lineEffect(legs, bank))).toBe('-32.50');
    expect(otherAccounts([{ debitAccount: { name: 'Rent' }, creditAccount: { id: '1' } }, { creditAccount: { name: 'Rent' }, debitAccount: { id: '1' } }], '1')).toEqual(['Rent']);
  });

  it('saves what was ticked and unticked', () => {
    expect(tickChanges(new Set(['a', 'b']), new Set(['b', 'c']))).toEqual({ add: ['c'], remove: ['a'] });
  });
});
