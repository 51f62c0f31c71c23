/**
 * Which rows of a list are on the screen. All rows have one height, so this is arithmetic: its cost does not
 * depend on the number of rows, unlike that of a general virtual list, which measures each row that is added.
 */
import { useCallback, useLayoutEffect, useState, type RefObject } from 'react';
import { rowWindow, slotsOf, type RowWindow } from './rowWindow';

export interface Rows extends RowWindow {
  /** Number of row elements that a window of this height never exceeds. */
  readonly slots: number;
  readonly scrollTo: (index: number) => void;
}

export function useRowWindow(scroller: RefObject<HTMLElement | null>, count: number, rowHeight: number): Rows {
  const [view, setView] = useState({ top: 0, height: 0 });

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    // A new window is rendered only when the rows change, not for each pixel.
    const read = () =>
      setView((old) => {
        const [top, height] = [element.scrollTop, element.clientHeight];
        const before = rowWindow(old.top, old.height, rowHeight, count);
        const after = rowWindow(top, height, rowHeight, count);
        return before.first === after.first && before.end === after.end ? old : { top, height };
      });
    read();
    const observer = new ResizeObserver(read);
    observer.observe(element);
    element.addEventListener('scroll', read, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', read);
    };
  }, [scroller, count, rowHeight]);

  const scrollTo = useCallback((index: number) => {
    const element = scroller.current;
    if (!element) return;
    const head = element.querySelector<HTMLElement>('.list-head')?.offsetHeight ?? 0;
    const top = index * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight + head > element.scrollTop + element.clientHeight) element.scrollTop = top + rowHeight + head - element.clientHeight;
  }, [scroller, rowHeight]);
  return { ...rowWindow(view.top, view.height, rowHeight, count), slots: slotsOf(view.height, rowHeight), scrollTo };
}
