import { useBook } from '~/book/types';
import { isNegative, isZero, toPlain } from '~/lib/money';
import { Button } from '~/ui/Button';
import { AccountField } from '~/ui/fields/AccountField';
import { AmountField } from '~/ui/fields/AmountField';
import { TextField } from '~/ui/fields/Field';
import { Money } from '~/ui/Money';
import { usePrefs } from '~/ui/prefs';
import { EMPTY_LEG, remainder, toDecimal, type Leg } from './split';

/** The legs of a split, and what is not yet assigned. */
export function Legs({ side, amount, legs, onChange, onCreate }: {
  readonly side: 'from' | 'to';
  readonly amount: string;
  readonly legs: readonly Leg[];
  readonly onChange: (legs: readonly Leg[]) => void;
  readonly onCreate: (index: number) => ((name: string) => void) | undefined;
}) {
  const { numbers } = useBook();
  const { accountingTerms } = usePrefs();
  const name = side === 'from' ? (accountingTerms ? 'Credit' : 'From') : accountingTerms ? 'Debit' : 'To';
  const rest = remainder(amount, legs);
  const set = (index: number, changes: Partial<Leg>) => onChange(legs.map((leg, at) => (at === index ? { ...leg, ...changes } : leg)));
  return (
    <fieldset className="entry-legs">
      <legend>Legs</legend>
      {legs.map((leg, index) => (
        <div key={index} className="entry-leg" role="group" aria-label={`Leg ${index + 1}`}>
          <div><AccountField label={`${name} of leg ${index + 1}`} isCompact placeholder={name} value={leg.account} onChange={(account) => set(index, { account })} onCreate={onCreate(index)} /></div>
          <div className="entry-leg-description"><TextField label={`Description of leg ${index + 1}`} isCompact placeholder="Description, if it differs" value={leg.description} onChange={(description) => set(index, { description })} /></div>
          <AmountField label={`Amount of leg ${index + 1}`} isCompact placeholder="Remainder" value={toDecimal(leg.amount)} onChange={(value) => set(index, { amount: value ? toPlain(value) : '' })} />
          <Button look="ghost" icon="close" aria-label={`Remove leg ${index + 1}`} isDisabled={legs.length < 2} onPress={() => onChange(legs.length < 2 ? [EMPTY_LEG] : legs.filter((_, at) => at !== index))} />
        </div>
      ))}
      <p className={`entry-remainder ${isNegative(rest) ? 'negative' : ''}`} role="status">
        {isNegative(rest) ? 'Too much' : 'Remainder'} <Money value={rest} style={numbers} />{isZero(rest) && amount ? ', all is assigned' : ''}
      </p>
    </fieldset>
  );
}
