/** Connects key presses to handlers. The keys themselves are in lib/keymap.ts. */
import { useEffect, useRef } from 'react';
import { advance, isSingleKey, keyName, NO_CHORD, SHORTCUTS, type ChordState } from '~/lib/keymap';
import { prefs } from './prefs';

type Handler = (event: KeyboardEvent) => void;

const handlers = new Map<string, Handler[]>();
let chord: ChordState = NO_CHORD;

/** Whether a mounted component handles the shortcut. The palette lists those. */
export function isHandled(id: string): boolean {
  return (handlers.get(id)?.length ?? 0) > 0;
}

/** Runs the handler of a shortcut, as if its keys were pressed. */
export function runShortcut(id: string): void {
  handlers.get(id)?.at(-1)?.(new KeyboardEvent('keydown'));
}

/**
 * Handles a shortcut while the component is mounted and `enabled`. The handler that was mounted last wins,
 * so a panel can take a key from the page below it.
 */
export function useShortcut(id: string, handler: Handler, enabled = true): void {
  const latest = useRef(handler);
  useEffect(() => {
    latest.current = handler;
  });
  useEffect(() => {
    if (!enabled) return undefined;
    const stable: Handler = (event) => latest.current(event);
    handlers.set(id, [...(handlers.get(id) ?? []), stable]);
    return () => {
      handlers.set(id, (handlers.get(id) ?? []).filter((other) => other !== stable));
    };
  }, [id, enabled]);
}

const EDITABLE = 'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true]';
const MODAL = '[aria-modal=true], .modal, [role=menu], [role=listbox]';
const INTERACTIVE = 'button, a[href], summary, [role=treeitem], [role=tab], [role=option], input';

/** Whether the key belongs to the focused element rather than to the page. */
function belongsToTarget(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof Element)) return false;
  if (key.includes('Mod+') || key.includes('Alt+')) return target.matches(EDITABLE) && key === 'Mod+a';
  if (target.closest(MODAL) || target.matches(EDITABLE)) return true;
  return !isSingleKey(key) && key !== 'Escape' && target.matches(INTERACTIVE);
}

/** The first Escape leaves a field, so that the next one closes the panel and keys work again. */
function leavesField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement) || !target.matches(EDITABLE) || target.closest(MODAL)) return false;
  target.blur();
  target.closest<HTMLElement>('.panel-body, main')?.focus({ preventScroll: true });
  return true;
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || ['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) return;
  const key = keyName(event);
  if (key === 'Escape' && leavesField(event.target)) {
    event.preventDefault();
    return;
  }
  if (belongsToTarget(event.target, key)) return;
  const active = SHORTCUTS.filter(({ id }) => isHandled(id));
  const result = advance(chord, key, event.timeStamp, prefs().singleKeys, active);
  chord = result.state;
  const id = result.ids.at(-1);
  if (!id && !result.waiting) return;
  event.preventDefault();
  if (id) handlers.get(id)?.at(-1)?.(event);
}

export function startShortcuts(): void {
  window.addEventListener('keydown', onKeyDown);
}
