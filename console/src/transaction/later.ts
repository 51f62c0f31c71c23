/** Changes of a repeated transaction: offers to change the later drafts of its series too. */
import { api } from '~/api/client';
import { sentence } from '~/api/problem';
import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { addDays } from '~/lib/dates';
import { joinQuery, term } from '~/lib/query';
import { showToast } from '~/ui/toasts';
import { isEmptyChange, type Change } from './changes';
import { useUpdate } from './update';

/** A series has at most 36 drafts. */
const MAX_SERIES = 200;

/** What later drafts take over: each keeps its own date, files and remote ids. */
export function changeForLater({ date: _, files: __, remoteIds: ___, ...shared }: Change): Change {
  return shared;
}

export function laterQuery(row: Transaction): string | undefined {
  const series = row.properties?.['series'];
  return series && row.date ? joinQuery(term('series', series), 'is:draft', `after:${addDays(row.date, 1)}`) : undefined;
}

/** Shows the offer after a change of a row that belongs to a series. */
export function useOfferLater(): (row: Transaction, change: Change) => void {
  const { id: bookId } = useBook();
  const update = useUpdate();
  return (row, change) => {
    const query = laterQuery(row);
    const shared = changeForLater(change);
    if (!query || isEmptyChange(shared)) return;
    const changeThem = async () => {
      try {
        const { data } = await api.get('/v5/books/{bookId}/transactions', { path: { bookId }, query: { query, limit: MAX_SERIES } });
        if (data.items.length > 0) await update.run({ updates: data.items.map((later) => ({ row: later, change: shared })) });
      } catch (error) {
        showToast(sentence(error), { tone: 'error' });
      }
    };
    showToast('This transaction repeats. Only this one was changed.', { action: { label: 'Change later ones too', run: () => void changeThem() } });
  };
}
