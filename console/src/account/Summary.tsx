import type { ReactNode } from 'react';
import { useBook } from '~/book/types';
import type { Decimal } from '~/lib/money';
import { Money } from '~/ui/Money';
import './Summary.css';

/** A line of figures above a register. The last one is the main figure. */
export function Summary({ items, reconciledTo, children }: {
  readonly items: readonly (readonly [label: string, value: Decimal | undefined])[];
  /** The last day that agrees with a statement. */
  readonly reconciledTo?: string | undefined;
  /** A control at the end of the line. */
  readonly children?: ReactNode;
}) {
  const { numbers, currency, day } = useBook();
  return (
    <div className="summary">
      <dl>
        {reconciledTo && <div><dt>Reconciled to</dt><dd>{day(reconciledTo)}</dd></div>}
        {items.map(([label, value], index) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {value ? <Money value={value} style={numbers} /> : '\u2007'}
              {currency && index === items.length - 1 && <span className="muted summary-currency"> {currency}</span>}
            </dd>
          </div>
        ))}
      </dl>
      {children}
    </div>
  );
}
