/** Single keys on the selected rows, or on the cursor row. */
import type { Transaction } from '~/api/types';
import { useBook } from '~/book/types';
import { useShortcut } from '~/ui/shortcuts';
import type { BulkKind } from './BulkForm';
import type { RowActions } from './rowActions';

export interface KeyTargets {
  readonly targets: () => readonly Transaction[];
  readonly actions: RowActions;
  readonly clear: () => void;
  readonly edit: () => void;
  readonly comment: () => void;
  readonly openForm: (kind: BulkKind) => void;
  /** Opens or closes the entry of the cursor row. */
  readonly setOpen: (open: boolean) => void;
}

export function useTransactionKeys({ targets, actions, clear, edit, comment, openForm, setOpen }: KeyTargets): void {
  const { can } = useBook();
  const [isEditor, isPoster] = [can('EDITOR'), can('POSTER')];
  const clearIf = (promise: Promise<boolean>) => void promise.then((done) => done && clear());
  useShortcut('check', () => void actions.check(targets()), isEditor);
  useShortcut('post', () => void actions.post(targets()), isPoster);
  useShortcut('duplicate', () => void actions.duplicate(targets()).then(clear), isPoster);
  useShortcut('trash', () => clearIf(actions.trash(targets())), isPoster);
  useShortcut('merge', () => clearIf(actions.merge(targets())), isPoster);
  useShortcut('reverse', () => void actions.reverse(targets().filter(actions.isLocked)), isPoster);
  useShortcut('edit', edit, isPoster);
  useShortcut('comment', comment);
  useShortcut('tag', () => openForm('tag'), isPoster);
  useShortcut('set-date', () => openForm('date'), isPoster);
  useShortcut('set-account', () => openForm('account'), isPoster);
  useShortcut('open-legs', () => setOpen(true));
  useShortcut('close-legs', () => setOpen(false));
}
