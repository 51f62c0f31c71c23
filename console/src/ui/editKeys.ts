import type { KeyboardEvent } from 'react';

/** Whether the field of the event shows a list, which takes Enter and Escape first. */
export function isListOpen(event: KeyboardEvent): boolean {
  return (event.target as Element).getAttribute('aria-expanded') === 'true';
}

/** Enter saves and Escape restores a row of fields, unless an open list or an input method takes the key. */
export function handleEditKeys(event: KeyboardEvent, onSave: () => void, onCancel: () => void) {
  if (isListOpen(event) || event.nativeEvent.isComposing) return;
  if (event.key === 'Enter') {
    event.preventDefault();
    event.stopPropagation();
    // The fields take the key first: a typed account or date counts.
    setTimeout(onSave);
  } else if (event.key === 'Escape') {
    event.preventDefault();
    event.stopPropagation();
    onCancel();
  }
}
