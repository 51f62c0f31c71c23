import { useLayoutEffect, useRef, type KeyboardEventHandler, type RefObject } from 'react';
import type { Segment } from './line';

/**
 * A text field with colours. An overlay behind the field has the same text in the same font: its text is
 * transparent, its tokens have a background. The ghost is visible text behind the caret.
 */
export function LineInput({ inputRef, text, segments, ghost, isOpen, activeId, onChange, onCaret, onKeyDown }: {
  readonly inputRef: RefObject<HTMLInputElement | null>;
  readonly text: string;
  readonly segments: readonly Segment[];
  readonly ghost: string;
  readonly isOpen: boolean;
  readonly activeId: string | undefined;
  readonly onChange: (text: string) => void;
  /** Says whether the caret stands at the end, without a selection. */
  readonly onCaret: (isAtEnd: boolean) => void;
  readonly onKeyDown: KeyboardEventHandler<HTMLInputElement>;
}) {
  const overlay = useRef<HTMLDivElement>(null);
  const follow = () => {
    if (overlay.current && inputRef.current) overlay.current.scrollLeft = inputRef.current.scrollLeft;
  };
  useLayoutEffect(follow);
  return (
    <div className="entry-box">
      <div className="entry-overlay" ref={overlay} aria-hidden="true" dir="auto">
        {segments.map(({ text: part, start, kind }) => (kind ? <mark key={start} className={`entry-token token-${kind}`}>{part}</mark> : <span key={start}>{part}</span>))}
        {ghost && <span className="entry-ghost">{ghost}</span>}
      </div>
      <input
        ref={inputRef}
        className="entry-input"
        type="text"
        dir="auto"
        role="combobox"
        aria-label="New transaction"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls="entry-options"
        aria-activedescendant={activeId}
        aria-describedby="entry-reading"
        placeholder="12.50 lunch cash groceries #food yesterday"
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        enterKeyHint="send"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          onChange(event.target.value);
          onCaret(event.target.selectionStart === event.target.value.length);
        }}
        onSelect={(event) => {
          const { selectionStart, selectionEnd, value } = event.currentTarget;
          onCaret(selectionStart === selectionEnd && selectionEnd === value.length);
          follow();
        }}
        onScroll={follow}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}
