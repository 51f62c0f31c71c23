import { useOptionalBook } from '~/book/types';
import { LiveMark } from '~/live/LiveMark';
import { Button } from '~/ui/Button';
import { runShortcut } from '~/ui/shortcuts';
import { useCurrentHeaderInfo } from './headerInfo';
import { PeriodControl } from './PeriodControl';
import { QueryBox } from './QueryBox';
import type { Route } from './registry';

/** The bar above the view: its title, and in a book the period and the query. */
export function Header({ route, onMenu }: { readonly route: Route | undefined; readonly onMenu: (() => void) | undefined }) {
  const book = useOptionalBook();
  const { title } = useCurrentHeaderInfo();
  return (
    <header className="header">
      {onMenu && <Button look="ghost" icon="menu" aria-label="Navigation" onPress={onMenu} />}
      <h1 className="header-title truncate"><bdi>{title ?? route?.title ?? 'Daybook'}</bdi></h1>
      {book && <LiveMark />}
      {book && route?.header?.includes('period') && <PeriodControl />}
      {book && <QueryBox isActive={route?.header?.includes('query') ?? false} />}
      {book && (book.can('POSTER') || book.can('RECORDER') && !book.can('VIEWER')) && (
        <Button icon="plus" shortcut="new" className="header-new" onPress={() => runShortcut('new')}>New</Button>
      )}
    </header>
  );
}
