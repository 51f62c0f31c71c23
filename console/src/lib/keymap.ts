/**
 * The keyboard map: which keys the console knows, what they do and where. Components attach handlers by id
 * (`useShortcut`). The `?` overlay and the palette show this table.
 */

export type Scope = 'everywhere' | 'list' | 'transactions' | 'import' | 'entry' | 'panel';

export interface Shortcut {
  readonly id: string;
  /** Keys of the chord with spaces between: `g j`, `Mod+k`. Alternatives are separate entries. */
  readonly keys: readonly string[];
  readonly label: string;
  readonly scope: Scope;
}

const entry = (id: string, keys: string | readonly string[], label: string, scope: Scope): Shortcut => ({
  id, keys: typeof keys === 'string' ? [keys] : keys, label, scope,
});

export const SHORTCUTS: readonly Shortcut[] = [
  entry('help', '?', 'Keyboard map', 'everywhere'),
  entry('palette', 'Mod+k', 'Command palette', 'everywhere'),
  entry('query', '/', 'Go to the query box', 'everywhere'),
  entry('new', 'n', 'New transaction', 'everywhere'),
  entry('new-form', 'Shift+n', 'New transaction in a form', 'everywhere'),
  entry('find-account', 'f', 'Find an account', 'everywhere'),
  entry('undo', 'z', 'Undo the last action', 'everywhere'),
  entry('copy-link', 'y', 'Copy a link to this view', 'everywhere'),
  entry('period-previous', '[', 'Previous period', 'everywhere'),
  entry('period-next', ']', 'Next period', 'everywhere'),
  entry('period-all', '\\', 'Whole book', 'everywhere'),
  entry('period-today', '.', 'Current month', 'everywhere'),
  entry('go-overview', 'g o', 'Overview', 'everywhere'),
  entry('go-transactions', 'g j', 'Transactions', 'everywhere'),
  entry('go-drafts', 'g d', 'Drafts', 'everywhere'),
  entry('go-accounts', 'g a', 'Accounts and groups', 'everywhere'),
  entry('go-balance-sheet', 'g b', 'Balance sheet', 'everywhere'),
  entry('go-income', 'g i', 'Income statement', 'everywhere'),
  entry('go-trial', 'g t', 'Trial balance', 'everywhere'),
  entry('go-ledger', 'g l', 'General ledger', 'everywhere'),
  entry('go-imports', 'g m', 'Import', 'everywhere'),
  entry('go-budget', 'g u', 'Budget', 'everywhere'),
  entry('go-timeline', 'g h', 'History', 'everywhere'),
  entry('go-people', 'g p', 'People', 'everywhere'),
  entry('go-apps', 'g x', 'Apps', 'everywhere'),
  entry('go-settings', 'g s', 'Settings of the book', 'everywhere'),
  entry('go-books', 'g k', 'All books', 'everywhere'),
  entry('next', ['j', 'ArrowDown'], 'Next row', 'list'),
  entry('previous', ['k', 'ArrowUp'], 'Previous row', 'list'),
  entry('page-down', 'PageDown', 'Page down', 'list'),
  entry('page-up', 'PageUp', 'Page up', 'list'),
  entry('first', 'Home', 'First row', 'list'),
  entry('last', 'End', 'Last loaded row', 'list'),
  entry('open', 'Enter', 'Open the row', 'list'),
  entry('select', 'x', 'Select the row', 'list'),
  entry('select-range', 'Shift+x', 'Select up to this row', 'list'),
  entry('select-all', 'Mod+a', 'Select all loaded rows', 'list'),
  entry('move-account', 'Shift+m', 'Move the account or group to a group', 'list'),
  entry('close', 'Escape', 'Clear the selection, close the panel', 'list'),
  entry('edit', 'e', 'Edit in place', 'transactions'),
  entry('check', 'c', 'Check or uncheck', 'transactions'),
  entry('post', 'p', 'Post the draft', 'transactions'),
  entry('post-due', 'Shift+p', 'Post all due drafts', 'transactions'),
  entry('duplicate', 'd', 'Duplicate to today', 'transactions'),
  entry('merge', 'm', 'Merge the two selected', 'transactions'),
  entry('tag', 't', 'Add or remove hashtags', 'transactions'),
  entry('trash', '#', 'Move to the trash, or restore', 'transactions'),
  entry('set-date', 'Shift+d', 'Change the date of the selected', 'transactions'),
  entry('set-account', 'Shift+a', 'Change an account of the selected', 'transactions'),
  entry('reverse', 'v', 'Reverse a locked transaction', 'transactions'),
  entry('open-legs', 'ArrowRight', 'Open the legs of an entry', 'transactions'),
  entry('close-legs', 'ArrowLeft', 'Close the legs of an entry', 'transactions'),
  entry('comment', 'o', 'Comment', 'transactions'),
  entry('reconcile', 'r', 'Reconcile this account', 'transactions'),
  entry('import-edit', 'e', 'Correct the record', 'import'),
  entry('import-accept', 'a', 'Accept the suggestion', 'import'),
  entry('import-accept-all', 'Shift+a', 'Accept all suggestions above the threshold', 'import'),
  entry('import-skip', 's', 'Skip, or record after all', 'import'),
  entry('import-match', 'm', 'Match with the next candidate', 'import'),
  entry('import-reset', 'r', 'Back to the preview', 'import'),
  entry('import-rule', 'l', 'Keep a rule for records like this', 'import'),
  entry('import-confirm', 'Mod+Enter', 'Record the import', 'import'),
  entry('entry-swap', 'Alt+s', 'Swap From and To', 'entry'),
  entry('entry-save', 'Enter', 'Save and begin the next', 'entry'),
  entry('entry-split', 'Alt+p', 'Split', 'entry'),
  entry('entry-form', 'Alt+m', 'Form or typed line', 'entry'),
  entry('panel-close', 'Escape', 'Close the panel', 'panel'),
];

export const SCOPE_NAMES: Record<Scope, string> = {
  everywhere: 'Everywhere',
  list: 'In lists',
  transactions: 'On transactions',
  import: 'In the preview of an import',
  entry: 'While entering',
  panel: 'In a side panel',
};

const byId = new Map(SHORTCUTS.map((shortcut) => [shortcut.id, shortcut]));

export function shortcut(id: string): Shortcut | undefined {
  return byId.get(id);
}

/** The parts of a key event that matter. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  /** The physical key: with Alt, macOS reports another character as `key`. */
  readonly code?: string;
}

/** The name of a pressed key as in the table: `j`, `?`, `Shift+x`, `Mod+k`, `ArrowDown`. */
export function keyName(press: KeyPress): string {
  const physical = press.altKey ? /^Key([A-Z])$/.exec(press.code ?? '')?.[1] : undefined;
  const typed = physical ?? press.key;
  const letter = typed.length === 1 && typed.toLowerCase() !== typed.toUpperCase();
  const key = letter ? typed.toLowerCase() : typed;
  const modifiers = [
    press.ctrlKey || press.metaKey ? 'Mod' : '',
    press.altKey ? 'Alt' : '',
    // Shift is part of characters such as `?` and `#`, and a modifier of letters and named keys.
    press.shiftKey && (letter || typed.length > 1) ? 'Shift' : '',
  ];
  return [...modifiers.filter(Boolean), key].join('+');
}

/** Whether a chord consists of characters only, which people can switch off (WCAG 2.1.4). */
export function isSingleKey(keys: string): boolean {
  return keys.split(' ').every((key) => key.length === 1 || /^Shift\+.$/.test(key));
}

export interface ChordState {
  readonly pending: string;
  readonly since: number;
}

export const CHORD_TIMEOUT_MS = 1200;
export const NO_CHORD: ChordState = { pending: '', since: 0 };

/**
 * Advances the chord by a key. Returns the ids whose keys are complete, and the new state; `waiting` says
 * that the key begins a longer chord.
 */
export function advance(
  state: ChordState,
  key: string,
  now: number,
  singleKeys: boolean,
  active: readonly Shortcut[] = SHORTCUTS,
): { ids: string[]; state: ChordState; waiting: boolean } {
  const typed = state.pending && now - state.since < CHORD_TIMEOUT_MS ? `${state.pending} ${key}` : key;
  const usable = active.flatMap(({ id, keys }) =>
    keys.filter((chord) => singleKeys || !isSingleKey(chord)).map((chord) => ({ id, chord })),
  );
  const ids = usable.filter(({ chord }) => chord === typed).map(({ id }) => id);
  const waiting = ids.length === 0 && usable.some(({ chord }) => chord.startsWith(`${typed} `));
  if (ids.length === 0 && !waiting && typed !== key) return advance(NO_CHORD, key, now, singleKeys, active);
  return { ids, waiting, state: waiting ? { pending: typed, since: now } : NO_CHORD };
}

/** The keys for display: `⌘K` or `Ctrl K`. */
export function displayKeys(keys: string, mac: boolean): string[] {
  const names: Record<string, string> = {
    Mod: mac ? '⌘' : 'Ctrl', Alt: mac ? '⌥' : 'Alt', Shift: mac ? '⇧' : 'Shift',
    ArrowDown: '↓', ArrowUp: '↑', ArrowLeft: '←', ArrowRight: '→', Escape: 'Esc', PageDown: 'PgDn', PageUp: 'PgUp',
  };
  return keys.split(/[ +]/).map((key) => names[key] ?? (/^[a-z]$/.test(key) ? key.toUpperCase() : key));
}
