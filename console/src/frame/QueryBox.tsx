import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { transactionsPath } from '~/book/paths';
import { useBook } from '~/book/types';
import { complete, type CompletionItem } from '~/lib/query';
import { navigate, useQueryState } from '~/lib/router';
import { Icon } from '~/ui/Icon';
import { Keys } from '~/ui/Keys';
import { useShortcut } from '~/ui/shortcuts';
import { useCompletionSources } from './completionSources';
import { useCurrentHeaderInfo } from './headerInfo';

/**
 * The query box. Enter puts the text into the URL and moves on to the view, where the keys of lists work. Escape
 * takes the text of the URL back. Views that do not use the query (`isActive` false) send it to the list of
 * transactions.
 */
export function QueryBox({ isActive }: { readonly isActive: boolean }) {
  const { id: bookId } = useBook();
  const [query, setQuery] = useQueryState('q');
  const [text, setText] = useState(query);
  const [caret, setCaret] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const sources = useCompletionSources();
  const { warnings = [], result } = useCurrentHeaderInfo();
  useEffect(() => setText(query), [query]);
  useShortcut('query', () => input.current?.select());

  const completion = useMemo(() => complete(text, caret, sources), [text, caret, sources]);
  const items = isOpen ? completion.items : [];

  const apply = (value: string) => {
    setOpen(false);
    if (isActive) setQuery(value.trim());
    else navigate(transactionsPath(bookId, value.trim()));
  };
  const accept = (item: CompletionItem) => {
    const next = text.slice(0, completion.from) + item.insert + text.slice(completion.to).trimStart();
    const at = completion.from + item.insert.length;
    setText(next);
    setActive(-1);
    requestAnimationFrame(() => {
      input.current?.setSelectionRange(at, at);
      setCaret(at);
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && items.length > 0) {
      setActive((index) => (index + step + items.length + (index < 0 && step < 0 ? 1 : 0)) % items.length);
    } else if (event.key === 'Tab' && !event.shiftKey && items.length > 0 && caret > completion.from) {
      accept(items[Math.max(active, 0)]!);
    } else if (event.key === 'Enter') {
      if (active >= 0 && items[active]) accept(items[active]);
      else {
        apply(text);
        document.getElementById('main')?.focus({ preventScroll: true });
      }
    } else if (event.key === 'Escape') {
      if (items.length > 0) setOpen(false);
      else {
        setText(query);
        input.current?.blur();
      }
    } else return;
    event.preventDefault();
  };
  return (
    <div className="query" role="search">
      <Icon name="search" />
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label="Query"
        aria-expanded={items.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={active >= 0 && items[active] ? `${id}-${active}` : undefined}
        aria-invalid={warnings.length > 0}
        aria-describedby={warnings.length > 0 ? `${id}-warnings` : undefined}
        placeholder="Filter: text, #tag, account:, on:, is:draft"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setCaret(event.target.selectionStart ?? 0);
          setOpen(true);
          setActive(-1);
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? 0)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      {text !== query && <span className="query-hint muted">Enter</span>}
      {text === query && query && (
        <button type="button" className="query-clear" aria-label="Clear the query" onClick={() => apply('')}><Icon name="close" size={13} /></button>
      )}
      {!text && <Keys of="query" />}
      {result && <span className="query-result muted" role="status">{result}</span>}
      {warnings.length > 0 && !isOpen && (
        <ul className="query-warnings" id={`${id}-warnings`}>
          {warnings.map((warning) => <li key={warning}><Icon name="warning" size={13} /> {warning}</li>)}
        </ul>
      )}
      <ul id={`${id}-list`} role="listbox" aria-label="Completions" className="query-items" hidden={items.length === 0}>
        {items.map((item, index) => (
          <li
            key={item.label + item.detail}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            onPointerDown={(event) => {
              event.preventDefault();
              accept(item);
            }}
          >
            <bdi className="truncate">{item.label}</bdi>
            <span className="muted">{item.detail}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
