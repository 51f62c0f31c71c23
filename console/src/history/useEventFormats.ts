import { useBook } from '~/book/types';
import { formatMoney, parseDecimal } from '~/lib/money';
import { usePrefs } from '~/ui/prefs';
import type { EventFormats } from './eventText';

/** How events of the current book are shown. */
export function useEventFormats(): EventFormats {
  const { accountById, groupById, day, numbers } = useBook();
  const { accountingTerms } = usePrefs();
  return {
    account: (id) => accountById.get(id)?.name,
    group: (id) => groupById.get(id)?.name,
    day,
    amount: (plain) => {
      const value = parseDecimal(plain);
      return value === undefined ? plain : formatMoney(value, numbers);
    },
    from: accountingTerms ? 'Credit' : 'From',
    to: accountingTerms ? 'Debit' : 'To',
  };
}
