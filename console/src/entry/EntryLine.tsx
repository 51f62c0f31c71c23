import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { useBook } from '~/book/types';
import { useCompletionSources } from '~/frame/completionSources';
import { seriesDays } from './series';
import { Button } from '~/ui/Button';
import { Icon } from '~/ui/Icon';
import { useShortcut } from '~/ui/shortcuts';
import { showToast } from '~/ui/toasts';
import { useRecordLine } from './actions';
import { completeLine, expandLine, ghostText, seemsDated, swapSides, takeCompletion, toSegments, toTyped, unreadTail, withDay } from './line';
import { LineInput } from './LineInput';
import { NewAccount } from './NewAccount';
import { readLine, usePreview } from './preview';
import { Reading } from './Reading';
import { emptyForm, type ChangeDraft, type EntryDraft } from './store';
import { Suggestions } from './Suggestions';
import { UnsavedLines } from './UnsavedLines';

/** One typed line with what the server reads in it. Enter records it and begins the next. */
export function EntryLine({ draft, change, focusRequest, onForm, onClose }: {
  readonly draft: EntryDraft;
  readonly change: ChangeDraft;
  readonly focusRequest: number;
  readonly onForm: () => void;
  readonly onClose: () => void;
}) {
  const { id: bookId, accounts, today } = useBook();
  const text = draft.line;
  const input = useRef<HTMLInputElement>(null);
  const [active, setActive] = useState(-1);
  const [isHidden, setHidden] = useState(false);
  const [caretAtEnd, setCaretAtEnd] = useState(true);
  const [newAccount, setNewAccount] = useState<string>();
  const [saving, setSaving] = useState(0);
  const sources = useCompletionSources();
  const record = useRecordLine();
  useEffect(() => input.current?.focus(), [focusRequest]);

  const line = useMemo(() => expandLine(text, today), [text, today]);
  const { preview, readLine: read, error, isCurrent } = usePreview(bookId, line.sent);
  const tokens = useMemo(() => (preview ? toTyped(preview.tokens, { ...line, sent: read }) : []), [preview, line, read]);
  const segments = useMemo(() => toSegments(text, tokens, isCurrent ? text : read), [text, tokens, isCurrent, read]);
  const names = useMemo(() => accounts.filter(({ archived }) => !archived).map(({ name }) => name!), [accounts]);
  const completion = useMemo(() => completeLine(text, names, sources.hashtags), [text, names, sources.hashtags]);
  const items = caretAtEnd && !isHidden ? completion.items : [];
  const chosen = items[Math.max(active, 0)];

  const setText = (next: string) => {
    change(() => ({ line: next }));
    setActive(-1);
    setHidden(false);
  };
  const take = (item: string) => {
    setText(takeCompletion(text, completion, item));
    setCaretAtEnd(true);
    input.current?.focus();
  };
  const save = async () => {
    if (!text.trim()) return;
    const { sent } = line;
    // The field is free for the next line at once. A line that fails comes back.
    setSaving((count) => count + 1);
    change(({ unsaved }) => ({ line: '', unsaved: [...unsaved, text] }));
    const reading = await readLine(bookId, sent);
    const isUndated = reading ? reading.missing.includes('date') : !seemsDated(sent);
    const row = await record.run(isUndated ? withDay(sent, today) : sent);
    setSaving((count) => count - 1);
    change(({ line: current, unsaved }) => {
      const index = unsaved.indexOf(text);
      const rest = unsaved.filter((_, at) => at !== index);
      if (row) return { unsaved: rest };
      return current ? {} : { line: text, unsaved: rest };
    });
  };
  const swap = () => {
    const swapped = isCurrent ? swapSides(text, tokens) : undefined;
    if (swapped !== undefined) setText(swapped);
    else if (preview?.from || preview?.to) openForm(true);
    else showToast('Name an account first, then swap the sides');
  };
  /** The form continues with what was read so far. */
  const openForm = (isSwapped: boolean) => {
    if (preview && text.trim()) {
      const { transaction } = preview;
      const [from, to] = [preview.from?.id ?? '', preview.to?.id ?? ''];
      const repeats = preview.repeats.length;
      change(() => ({
        line: '',
        form: {
          ...emptyForm(transaction.date ?? today),
          from: isSwapped ? to : from,
          to: isSwapped ? from : to,
          amount: transaction.amount ?? '',
          description: transaction.description ?? '',
          repeat: repeats > 0 && seriesDays(today, { unit: 'month', every: 1, count: repeats }).length > 0 ? { unit: 'month', every: 1, count: repeats } : undefined,
        },
      }));
    }
    onForm();
  };
  useShortcut('entry-swap', swap);

  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && items.length > 1) setActive((index) => (Math.max(index, 0) + step + items.length) % items.length);
    else if (event.key === 'Tab' && !event.shiftKey && chosen) take(chosen);
    else if (event.key === 'Enter' && !event.altKey) {
      if (active >= 0 && chosen) take(chosen);
      else void save();
    } else if (event.key === 'Escape') {
      if (items.length > 0) setHidden(true);
      else onClose();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <UnsavedLines lines={saving > 0 ? [] : draft.unsaved} change={change} />
      <div className="entry-top">
        <span className="entry-mark"><Icon name="plus" /></span>
        <LineInput
          inputRef={input}
          text={text}
          segments={segments}
          ghost={chosen ? ghostText(text, completion, chosen) : ''}
          isOpen={items.length > 0}
          activeId={items.length > 0 && active >= 0 ? `entry-option-${active}` : undefined}
          onChange={setText}
          onCaret={setCaretAtEnd}
          onKeyDown={onKeyDown}
        />
        <Button look="primary" className="entry-record" isDisabled={!text.trim()} onPress={() => { void save(); input.current?.focus(); }}>Record</Button>
        <Button shortcut="entry-form" className="entry-to-form" onPress={() => openForm(false)}>Form</Button>
        <Button look="ghost" icon="close" aria-label="Close the entry" onPress={onClose} />
      </div>
      <Suggestions items={items} active={Math.max(active, 0)} onTake={take} />
      <Reading
        text={text}
        word={line.word}
        preview={preview}
        error={error}
        isCurrent={isCurrent}
        onSwap={swap}
        onNewAccount={() => setNewAccount(unreadTail(text, tokens))}
      />
      {newAccount !== undefined && (
        <NewAccount
          name={newAccount}
          side={preview?.missing.includes('creditAccount') && !preview.missing.includes('debitAccount') ? 'from' : 'to'}
          onDone={(account) => {
            setNewAccount(undefined);
            if (account && !text.toLowerCase().includes(account.name!.toLowerCase())) setText(`${text.trimEnd()} ${account.name} `);
            input.current?.focus();
          }}
        />
      )}
    </>
  );
}
