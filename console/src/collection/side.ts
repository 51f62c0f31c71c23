/** The books of a collection side by side: one column a book, with its currency; nothing is added up across currencies. */
import type { Decimal } from '~/lib/money';
import { add } from '~/lib/money';

export interface BookFigures {
  readonly id: string;
  readonly currency: string;
  /** Undefined while they load, and where the caller may not read them. */
  readonly figures: Figures | undefined;
}

export interface Figures {
  readonly assets: Decimal;
  readonly liabilities: Decimal;
  readonly netWorth: Decimal;
  readonly income: Decimal;
  readonly expenses: Decimal;
  readonly result: Decimal;
}

export interface CurrencyTotal {
  readonly currency: string;
  readonly books: number;
  readonly figures: Figures;
}

const NAMES = ['assets', 'liabilities', 'netWorth', 'income', 'expenses', 'result'] as const;

/** Sums of books that share a named currency; books without one are never added. */
export function currencyTotals(books: readonly BookFigures[]): CurrencyTotal[] {
  const totals = new Map<string, CurrencyTotal>();
  for (const { currency, figures } of books) {
    const name = currency.trim().toUpperCase();
    if (!name || !figures) continue;
    const known = totals.get(name);
    const sum = known
      ? (Object.fromEntries(NAMES.map((key) => [key, add(known.figures[key], figures[key])])) as unknown as Figures)
      : figures;
    totals.set(name, { currency: name, books: (known?.books ?? 0) + 1, figures: sum });
  }
  return [...totals.values()].filter((total) => total.books > 1).sort((a, b) => a.currency.localeCompare(b.currency));
}

/** Books in the order of their columns: those of one currency together, then by name. */
export function columnOrder<T extends { readonly currency: string; readonly name: string }>(books: readonly T[]): T[] {
  const key = ({ currency }: T) => currency.trim().toUpperCase();
  return [...books].sort((a, b) => Number(!key(a)) - Number(!key(b)) || key(a).localeCompare(key(b)) || a.name.localeCompare(b.name));
}
