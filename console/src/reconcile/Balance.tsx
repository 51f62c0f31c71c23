import { useBook } from '~/book/types';
import type { Decimal } from '~/lib/money';
import { Icon } from '~/ui/Icon';
import { Money } from '~/ui/Money';
import type { Totals } from './sheet';

/** The running figures. A difference of zero turns green and says so. */
export function Balance({ opening, closing, sums, count }: {
  readonly opening: Decimal;
  readonly closing: Decimal;
  readonly sums: Totals;
  readonly count: number;
}) {
  const { numbers, currency } = useBook();
  const figure = (label: string, value: Decimal) => <div><dt>{label}</dt><dd><Money value={value} style={numbers} /></dd></div>;
  return (
    <div className={`reconcile-balance ${sums.isEqual ? 'is-equal' : ''}`}>
      <dl>
        {figure('Opening', opening)}
        {figure(`Ticked (${count})`, sums.movement)}
        {figure('Statement', closing)}
        <div className="reconcile-difference"><dt>Difference</dt><dd><Money value={sums.difference} style={numbers} /> {currency && <span className="muted">{currency}</span>}</dd></div>
      </dl>
      <p role="status" className={sums.isEqual ? 'reconcile-equal' : 'muted'}>
        {sums.isEqual ? <><Icon name="check" size={14} /> The account agrees with the statement</> : 'Tick the rows that are on the statement'}
      </p>
    </div>
  );
}
