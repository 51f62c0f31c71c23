/** Ticks that are not saved yet. They survive a reload, and leave with the save. */

export interface SheetDraft {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

const NONE: SheetDraft = { add: [], remove: [] };
const keyOf = (bookId: string, sheet: string) => `daybook.reconcile.${bookId}.${sheet}`;

export function readDraft(bookId: string, sheet: string): SheetDraft {
  try {
    const stored = JSON.parse(localStorage.getItem(keyOf(bookId, sheet)) ?? 'null') as Partial<SheetDraft> | null;
    return { add: stored?.add ?? [], remove: stored?.remove ?? [] };
  } catch {
    return NONE;
  }
}

export function writeDraft(bookId: string, sheet: string, draft: SheetDraft): void {
  try {
    if (draft.add.length + draft.remove.length === 0) localStorage.removeItem(keyOf(bookId, sheet));
    else localStorage.setItem(keyOf(bookId, sheet), JSON.stringify(draft));
  } catch {
    // Without storage the ticks last as long as the page.
  }
}
