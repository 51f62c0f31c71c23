import { useCallback, useRef, useState } from 'react';
import { api } from '~/api/client';
import { sentence } from '~/api/problem';
import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { showToast } from '~/ui/toasts';
import { changeOf, fieldsOf, isEmptyChange, type Fields } from './changes';
import { withLegs } from './legs';
import { useOfferLater } from './later';
import { entryIdOf } from './lines';
import type { RowActions } from './rowActions';
import { OUTDATED, useUpdate } from './update';

export interface Editing {
  readonly row: Transaction;
  readonly fields: Fields;
}

export interface EditingState {
  readonly editing: Editing | undefined;
  readonly begin: (row: Transaction) => Promise<boolean>;
  readonly change: (fields: Fields) => void;
  /** Resolves to whether the row is saved and no longer edited. */
  readonly save: () => Promise<boolean>;
  readonly cancel: () => void;
}

/** The row that is edited in place. Its text stays when the row is scrolled out of sight. */
export function useEditing({ mayEdit }: Pick<RowActions, 'mayEdit'>): EditingState {
  const { id: bookId } = useBook();
  const update = useUpdate();
  const offerLater = useOfferLater();
  const [editing, setEditing] = useState<Editing>();
  // Keys arrive before the next render: the newest text is kept here.
  const latest = useRef<Editing>(undefined);
  const etag = useRef<Promise<string | undefined>>(undefined);
  const set = useCallback((next: Editing | undefined) => {
    latest.current = next;
    setEditing(next);
  }, []);

  const begin = async (row: Transaction) => {
    if (latest.current?.row.id === row.id) return true;
    if (!(await mayEdit([row]))) return false;
    etag.current = api.get('/v5/books/{bookId}/transactions/{id}', { path: { bookId, id: row.id! } }).then(
      ({ data, etag: version }) => (data.updatedAt === row.updatedAt ? version : OUTDATED),
      () => undefined,
    );
    set({ row, fields: fieldsOf(row) });
    return true;
  };
  const save = async () => {
    const now = latest.current;
    if (!now) return true;
    const change = changeOf(now.row, now.fields);
    if (!isEmptyChange(change)) {
      const { date } = change;
      const updates = [{ row: now.row, change }];
      if (date && entryIdOf(now.row)) {
        try {
          // The legs of an entry keep a common date.
          const legs = (await withLegs(bookId, [now.row])).filter((leg) => leg.id !== now.row.id && leg.date === now.row.date);
          updates.push(...legs.map((leg) => ({ row: leg, change: { date } })));
        } catch (error) {
          showToast(sentence(error), { tone: 'error' });
          return false;
        }
      }
      const done = now.fields.description ? `Changed ${now.fields.description}` : 'Changed 1 transaction';
      if (!(await update.run({ updates, etag: await etag.current, done }))) return false;
      offerLater(now.row, change);
    }
    if (latest.current === now) set(undefined);
    return true;
  };
  return { editing, begin, save, change: (fields) => latest.current && set({ ...latest.current, fields }), cancel: () => set(undefined) };
}
