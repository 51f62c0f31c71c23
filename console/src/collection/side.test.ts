import { expect, test } from 'vitest';
import { parseDecimal, toPlain } from '~/lib/money';
import { columnOrder, currencyTotals, type Figures } from './side';

const figures = (worth: string): Figures => {
  const value = parseDecimal(worth);
  return { assets: value, liabilities: value, netWorth: value, income: value, expenses: value, result: value };
};

test('only books of the same named currency are added up', () => {
  const totals = currencyTotals([
    { id: '1', currency: 'EUR', figures: figures('10.50') },
    { id: '2', currency: 'eur', figures: figures('-0.25') },
    { id: '3', currency: 'USD', figures: figures('99') },
    { id: '4', currency: '', figures: figures('7') },
    { id: '5', currency: '', figures: figures('7') },
    { id: '6', currency: 'EUR', figures: undefined },
  ]);
  expect(totals.map(({ currency, books, figures: sum }) => [currency, books, toPlain(sum.netWorth)])).toEqual([['EUR', 2, '10.25']]);
});

test('columns of one currency stand together, those without one last', () => {
  const books = [{ name: 'B', currency: '' }, { name: 'C', currency: 'USD' }, { name: 'D', currency: 'EUR' }, { name: 'A', currency: 'EUR' }];
  expect(columnOrder(books).map(({ name }) => name)).toEqual(['A', 'D', 'C', 'B']);
});
