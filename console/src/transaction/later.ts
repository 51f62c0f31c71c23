/** Changes of a repeated transaction: offers to change the later drafts of its series too. */
import { api } from '~/api/client';
import { sentence } from '~/api/problem';
import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { addDays } from '~/lib/dates';
import { joinQuery, term } from '~/lib/query';
import { showToast } from '~/ui/toasts';
import { isEmptyChange, type Change } from './changes';
import { entryIdOf } from './lines';
import { useUpdate, type Update } from './update';

/** One page. A series has at most 36 repetitions, each with the legs of its split. */
const MAX_SERIES = 1000;

/** What later drafts take over: each keeps its own date, files and remote ids. */
export function changeForLater({ date: _, files: __, remoteIds: ___, ...shared }: Change): Change {
  return shared;
}

/**
 * The later rows that repeat a row. The other legs of a split have the same series, so a leg is repeated by the
 * leg with its accounts; where several have them, by the one with its amount and description too.
 */
export function repeatsOf(row: Transaction, later: readonly Transaction[]): Transaction[] {
  if (!entryIdOf(row)) return [...later];
  const entries = new Map<string, Transaction[]>();
  for (const other of later) {
    const hasAccounts = other.creditAccount?.id === row.creditAccount?.id && other.debitAccount?.id === row.debitAccount?.id;
    const entry = entryIdOf(other);
    if (entry && hasAccounts) entries.set(entry, [...(entries.get(entry) ?? []), other]);
  }
  return [...entries.values()].flatMap((legs) => {
    if (legs.length === 1) return legs;
    return legs.filter((leg) => leg.amount === row.amount && leg.description === row.description).slice(0, 1);
  });
}

export function laterQuery(row: Transaction): string | undefined {
  const series = row.properties?.['series'];
  return series && row.date ? joinQuery(term('series', series), 'is:draft', `after:${addDays(row.date, 1)}`) : undefined;
}

/** The updates that carry a change to the later drafts that repeat the row. */
export async function loadLater(bookId: string, row: Transaction, change: Change): Promise<Update[]> {
  const query = laterQuery(row);
  const shared = changeForLater(change);
  if (!query || isEmptyChange(shared)) return [];
  const { data } = await api.get('/v5/books/{bookId}/transactions', { path: { bookId }, query: { query, limit: MAX_SERIES } });
  return repeatsOf(row, data.items).map((later) => ({ row: later, change: shared }));
}

/** Shows the offer after a change of a row that belongs to a series. */
export function useOfferLater(): (row: Transaction, change: Change) => void {
  const { id: bookId } = useBook();
  const update = useUpdate();
  return (row, change) => {
    if (!laterQuery(row) || isEmptyChange(changeForLater(change))) return;
    const changeThem = async () => {
      try {
        const updates = await loadLater(bookId, row, change);
        if (updates.length > 0) await update.run({ updates });
        else showToast('No later one repeats it');
      } catch (error) {
        showToast(sentence(error), { tone: 'error' });
      }
    };
    showToast('This transaction repeats. Only this one was changed.', { action: { label: 'Change later ones too', run: () => void changeThem() } });
  };
}
