/** What people do with rows, one or many: expands entries to their legs, asks where needed, then acts. */
import { sentence } from '~/api/problem';
import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { addDays } from '~/lib/dates';
import { formatCount } from '~/lib/money';
import { showToast } from '~/ui/toasts';
import { useCheck, useDuplicate, useMerge, usePost, useRestore, useReverse, useTrash } from './actions';
import { isEmptyChange, type Change, type Fields } from './changes';
import { withLegs } from './legs';
import { entryIdOf } from './lines';
import { MergeDialog } from './MergeDialog';
import { ask } from './questions';
import { applyTagEdit, type TagEdit } from './tags';
import { confirmChecked, useUpdate } from './update';

type Rows = readonly Transaction[];

/** Of a batch (3.6.6). */
const MAX_ROWS = 10_000;

const refuse = (message: string) => void showToast(message, { tone: 'error' });

export interface RowActions {
  readonly check: (rows: Rows) => Promise<void>;
  /** Posts drafts with all legs of their entries. Resolves to whether it was done. */
  readonly post: (rows: Rows) => Promise<boolean>;
  readonly duplicate: (rows: Rows) => Promise<void>;
  /** Trashes rows, or restores them when all are in the trash. Resolves to whether something was done. */
  readonly trash: (rows: Rows) => Promise<boolean>;
  readonly merge: (rows: Rows) => Promise<boolean>;
  readonly reverse: (rows: Rows) => Promise<void>;
  /** Changes all rows and the other legs of their entries. Resolves to whether it was saved. */
  readonly changeAll: (rows: Rows, change: (row: Transaction) => Change, done: string) => Promise<boolean>;
  /** The same without the other legs, for fields in which legs differ. */
  readonly changeRows: (rows: Rows, change: (row: Transaction) => Change, done: string) => Promise<boolean>;
  readonly tag: (rows: Rows, edit: TagEdit) => Promise<boolean>;
  readonly isLocked: (row: Transaction) => boolean;
  /** Whether rows may be edited: refuses locked ones and asks about checked ones. */
  readonly mayEdit: (rows: Rows) => Promise<boolean>;
}

export function useRowActions(): RowActions {
  const { id: bookId, today, lockedUntil, day, numbers } = useBook();
  const [check, trash, restore, post] = [useCheck(), useTrash(), useRestore(), usePost()];
  const [duplicate, reverse, merge, update] = [useDuplicate(), useReverse(), useMerge(), useUpdate()];
  // A draft on a locked day can be edited, a posted transaction cannot (3.5).
  const isLocked = (row: Transaction) => Boolean(row.posted) && (row.date ?? '') <= lockedUntil && lockedUntil !== '';

  const refuseTooMany = (rows: Rows): boolean => {
    if (rows.length <= MAX_ROWS) return false;
    refuse(`At most ${formatCount(MAX_ROWS, numbers)} transactions can be changed at once.`);
    return true;
  };
  const legs = async (rows: Rows): Promise<Transaction[]> => {
    try {
      const all = await withLegs(bookId, rows);
      return refuseTooMany(all) ? [] : all;
    } catch (error) {
      refuse(sentence(error));
      return [];
    }
  };
  const refuseLocked = (rows: Rows): boolean => {
    const locked = rows.filter(isLocked);
    if (locked.length === 0) return false;
    showToast(`${locked.length === 1 ? 'This transaction is' : `${locked.length} transactions are`} locked up to ${day(lockedUntil)}.`, {
      tone: 'error', action: { label: 'Reverse', run: () => void actions.reverse(locked) },
    });
    return true;
  };
  const mayEdit = async (rows: Rows) => {
    if (rows.some(({ trashed }) => trashed)) {
      refuse('Restore it from the trash first.');
      return false;
    }
    return !refuseLocked(rows) && confirmChecked(rows);
  };

  const actions: RowActions = {
    isLocked,
    mayEdit,
    check: async (rows) => {
      const posted = (await legs(rows)).filter((row) => row.posted && !row.trashed);
      if (posted.length === 0) {
        if (rows.length > 0) refuse('Only posted transactions can be checked.');
        return;
      }
      const checked = !posted.every((row) => row.checked);
      await check.run({ ids: posted.filter((row) => Boolean(row.checked) !== checked).map(({ id }) => id!), checked });
    },
    post: async (rows) => {
      const drafts = (await legs(rows)).filter((row) => !row.posted && !row.trashed);
      if (drafts.length > 0) return (await post.run(drafts)) !== undefined;
      if (rows.length > 0) refuse('Only drafts can be posted.');
      return false;
    },
    duplicate: async (rows) => {
      const all = await legs(rows);
      if (all.length > 0) await duplicate.run({ rows: all, date: today });
    },
    trash: async (rows) => {
      const all = await legs(rows);
      if (all.length === 0) return false;
      if (all.every((row) => row.trashed)) {
        await restore.run(all);
        return true;
      }
      const kept = all.filter((row) => !row.trashed);
      if (refuseLocked(kept) || !(await confirmChecked(kept, 'Trash'))) return false;
      await trash.run(kept);
      return true;
    },
    merge: async (rows) => {
      const [first, second] = rows;
      if (!first || !second || rows.length !== 2) {
        refuse('Select exactly two transactions to merge them.');
        return false;
      }
      if (rows.some(({ checked, trashed }) => checked || trashed)) {
        refuse('Checked and trashed transactions cannot be merged. Uncheck or restore them first.');
        return false;
      }
      if (entryIdOf(first) && entryIdOf(first) === entryIdOf(second)) {
        refuse('Legs of one entry cannot be merged.');
        return false;
      }
      if (refuseLocked(rows)) return false;
      const pair = [first, second] as const;
      const fields = await ask<Fields>((reply) => <MergeDialog rows={pair} onAnswer={reply} />);
      return fields !== undefined && (await merge.run({ rows: pair, fields })) !== undefined;
    },
    reverse: async (rows) => {
      const posted = (await legs(rows)).filter((row) => row.posted && !row.trashed);
      if (posted.length > 0) await reverse.run({ rows: posted, date: lockedUntil ? addDays(lockedUntil, 1) : today });
    },
    changeAll: async (rows, change, done) => actions.changeRows(await legs(rows), change, done),
    changeRows: async (rows, change, done) => {
      if (rows.length === 0 || refuseTooMany(rows) || !(await mayEdit(rows))) return false;
      const updates = rows.map((row) => ({ row, change: change(row) })).filter((item) => !isEmptyChange(item.change));
      if (updates.length === 0) {
        showToast('Nothing to change');
        return true;
      }
      return (await update.run({ updates, done })) !== undefined;
    },
    tag: (rows, edit) => {
      const names = [...edit.add.map((tag) => `#${tag}`), ...edit.remove.map((tag) => `−#${tag}`)].join(' ');
      return actions.changeAll(rows, (row) => {
        const description = applyTagEdit(row.description ?? '', edit);
        return description === (row.description ?? '') ? {} : { description };
      }, `Tagged with ${names}`);
    },
  };
  return actions;
}
