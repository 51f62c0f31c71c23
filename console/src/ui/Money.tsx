import { formatMoney, isNegative, type Decimal, type NumberStyle } from '~/lib/money';

/** An amount in the number format of the book. Negative amounts have a true minus and a colour. */
export function Money({ value, style, className = '' }: { readonly value: Decimal; readonly style: NumberStyle; readonly className?: string }) {
  return <span className={`${isNegative(value) ? 'negative ' : ''}${className}`}>{formatMoney(value, style)}</span>;
}
