import { lazy, Suspense, useRef, useState } from 'react';
import { useBook } from '~/book/types';
import { useCommand } from '~/frame/commands';
import { useQueryState } from '~/lib/router';
import { Button } from '~/ui/Button';
import { useShortcut } from '~/ui/shortcuts';
import { EntryLine } from './EntryLine';
import { useEntryDraft } from './store';
import '~/transaction/TransactionList.css';
import './Entry.css';

const TransferForm = lazy(() => import('./TransferForm').then((module) => ({ default: module.TransferForm })));
const EntryForm = lazy(() => import('./EntryForm').then((module) => ({ default: module.EntryForm })));

/**
 * New transactions on every view of a book: a typed line (`n`) or a form (`Shift+n`) below the header. The URL
 * says which is open, the storage of the tab keeps what was typed.
 */
export default function Entry() {
  const { id } = useBook();
  return <EntryOfBook key={id} />;
}

function EntryOfBook() {
  const { id: bookId, can, book } = useBook();
  const [mode, setMode] = useQueryState('entry');
  const [draft, change] = useEntryDraft(bookId);
  // Opening again moves the focus back into the entry.
  const [focusRequest, setFocusRequest] = useState(0);
  const before = useRef<HTMLElement>(undefined);
  const canRecord = can('POSTER') || book.permission === 'RECORDER';
  const isOpen = canRecord && ['line', 'form', 'transfer'].includes(mode);

  const open = (next: 'line' | 'form' | 'transfer') => {
    if (!isOpen && document.activeElement instanceof HTMLElement) before.current = document.activeElement;
    setMode(next, { replace: true });
    setFocusRequest((count) => count + 1);
  };
  const close = () => {
    setMode(null, { replace: true });
    requestAnimationFrame(() => {
      const target = before.current;
      if (target?.isConnected && target !== document.body) target.focus();
      else document.querySelector<HTMLElement>('[role=grid], #main')?.focus();
    });
  };
  useShortcut('new', () => open('line'), canRecord);
  useShortcut('new-form', () => open('form'), canRecord);
  useCommand({ id: 'entry-transfer', label: 'Transfer to another book', kind: 'Do', run: () => canRecord && open('transfer') });
  useShortcut('entry-form', () => open(mode === 'form' ? 'line' : 'form'), isOpen);

  if (!canRecord) return null;
  if (!isOpen) return <Button look="primary" icon="plus" aria-label="New transaction" className="entry-float" onPress={() => open('line')} />;
  return (
    <section className="entry" aria-label="New transaction">
      {mode === 'line' ? (
        <EntryLine draft={draft} change={change} focusRequest={focusRequest} onForm={() => open('form')} onClose={close} />
      ) : (
        <Suspense fallback={null}>
          {mode === 'form' ? (
            <EntryForm draft={draft} change={change} focusRequest={focusRequest} onLine={() => open('line')} onTransfer={() => open('transfer')} onClose={close} />
          ) : (
            <TransferForm draft={draft} change={change} onForm={() => open('form')} onClose={close} />
          )}
        </Suspense>
      )}
    </section>
  );
}
