import type { Choice } from '~/ui/fields/ChoiceField';
import { TYPE_NAMES, TYPE_ORDER, type AccountType } from '~/lib/signs';

const TYPE_HINTS: Record<AccountType, string> = {
  ASSET: 'what you have',
  LIABILITY: 'what you owe',
  INCOMING: 'where money comes from',
  OUTGOING: 'what it is spent on',
};

const SINGULAR: Record<AccountType, string> = { ASSET: 'Asset', LIABILITY: 'Liability', INCOMING: 'Income', OUTGOING: 'Expense' };

/** The type of one account: `Asset`. */
export function typeName(type: string | undefined): string {
  return SINGULAR[type as AccountType] ?? '';
}

export const TYPE_CHOICES: readonly Choice[] = TYPE_ORDER.map((type) => ({ value: type, label: `${SINGULAR[type]}: ${TYPE_HINTS[type]}` }));
export const TYPE_LIST: readonly Choice[] = TYPE_ORDER.map((type) => ({ value: type, label: TYPE_NAMES[type] }));
