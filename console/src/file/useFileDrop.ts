import { useRef, type DragEvent } from 'react';
import type { Transaction } from '~/api/types';

const ROW = '[role=row][aria-rowindex]';
const MARK = 'is-drop';

/** Handlers for an element around a list: files that are dropped on a row go to its transaction. */
export function useFileDrop({ isEnabled, rowAt, onDrop }: {
  readonly isEnabled: boolean;
  readonly rowAt: (index: number) => Transaction | undefined;
  readonly onDrop: (row: Transaction, files: readonly File[]) => void;
}) {
  const marked = useRef<Element>(undefined);
  const mark = (element: Element | undefined) => {
    if (marked.current === element) return;
    marked.current?.classList.remove(MARK);
    element?.classList.add(MARK);
    marked.current = element;
  };
  const find = (event: DragEvent) => {
    const element = (event.target as Element).closest(ROW) ?? undefined;
    const index = Number(element?.getAttribute('aria-rowindex')) - 2;
    const row = element && index >= 0 ? rowAt(index) : undefined;
    return row && element ? { row, element } : undefined;
  };
  if (!isEnabled) return {};
  return {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes('Files')) return;
      // Without this the browser would open the file in place of the page.
      event.preventDefault();
      const found = find(event);
      event.dataTransfer.dropEffect = found ? 'copy' : 'none';
      mark(found?.element);
    },
    onDragLeave: (event: DragEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) mark(undefined);
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      mark(undefined);
      const found = find(event);
      const files = [...event.dataTransfer.files];
      if (found && files.length > 0) onDrop(found.row, files);
    },
  };
}
