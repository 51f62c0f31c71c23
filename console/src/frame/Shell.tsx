import { Suspense, useEffect, useState } from 'react';
import { BookProvider } from '~/book/BookProvider';
import { useOptionalBook } from '~/book/types';
import { matchPath, navigate, usePath } from '~/lib/router';
import { EmptyState, Loading } from '~/ui/EmptyState';
import { ErrorBoundary } from '~/ui/ErrorBoundary';
import { Link } from '~/ui/Link';
import { Modal } from '~/ui/Modal';
import { useNarrow } from '~/ui/prefs';
import { useShortcut } from '~/ui/shortcuts';
import { showToast } from '~/ui/toasts';
import { undoLast } from '~/ui/actions';
import { copyText } from '~/ui/clipboard';
import { Header } from './Header';
import { HelpOverlay } from './HelpOverlay';
import { Palette } from './Palette';
import { Panel } from './Panel';
import { bookNav, extensions, navPath, routes, type Route } from './registry';
import { Sidebar } from './Sidebar';
import './Shell.css';

interface Match {
  readonly route: Route;
  readonly params: Record<string, string>;
}

function findRoute(path: string): Match | undefined {
  for (const route of routes) {
    const params = matchPath(route.path, path);
    if (params) return { route, params };
  }
  return undefined;
}

/** The frame of all views: sidebar, header, main area, side panel and overlays. */
export function Shell() {
  const path = usePath();
  const match = findRoute(path);
  const bookId = match?.params['bookId'];
  const frame = <Frame match={match} path={path} />;
  return bookId ? <BookProvider bookId={bookId}>{frame}</BookProvider> : frame;
}

function Frame({ match, path }: { readonly match: Match | undefined; readonly path: string }) {
  const isNarrow = useNarrow();
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  useEffect(() => setDrawerOpen(false), [path]);
  const book = useOptionalBook();
  return (
    <div className="shell">
      <a className="skip-link" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById('main')?.focus(); }}>Skip to the content</a>
      {isNarrow ? (
        <Modal label="Navigation" isOpen={isDrawerOpen} onClose={() => setDrawerOpen(false)} className="modal-drawer"><Sidebar /></Modal>
      ) : (
        <Sidebar />
      )}
      <div className="shell-main">
        <Header route={match?.route} onMenu={isNarrow ? () => setDrawerOpen(true) : undefined} />
        {book && extensions.map(({ name, Component }) => <Suspense key={name} fallback={null}><Component /></Suspense>)}
        <main id="main" tabIndex={-1} className="view">
          <ErrorBoundary key={path}>
            <Suspense fallback={<Loading />}>
              {match ? <match.route.Component {...match.params} /> : <NotFound />}
            </Suspense>
          </ErrorBoundary>
        </main>
      </div>
      {book && <Panel />}
      <Overlays />
    </div>
  );
}

function NotFound() {
  return <EmptyState title="No such page" actions={<Link to="/books">All books</Link>}>The address names no view of the console.</EmptyState>;
}

/** Help, palette, account finder, and the shortcuts that work on every page. */
function Overlays() {
  const [open, setOpen] = useState<'help' | 'palette' | 'account'>();
  const close = () => setOpen(undefined);
  const book = useOptionalBook();
  useShortcut('help', () => setOpen('help'));
  useShortcut('palette', () => setOpen('palette'));
  useShortcut('find-account', () => setOpen('account'), book !== undefined);
  useShortcut('undo', () => void undoLast());
  useShortcut('go-books', () => navigate('/books'));
  useShortcut('copy-link', () => {
    void copyText(window.location.href).then((copied) => showToast(copied ? 'Link copied' : 'The browser does not allow copying here'));
  });
  return (
    <>
      {book && bookNav.map((route) => route.nav!.shortcut && <GoShortcut key={route.path + route.nav!.shortcut} route={route} bookId={book.id} />)}
      <HelpOverlay isOpen={open === 'help'} onClose={close} />
      <Palette isOpen={open === 'palette' || open === 'account'} onClose={close} kind={open === 'account' ? 'Account' : undefined} />
    </>
  );
}

function GoShortcut({ route, bookId }: { readonly route: Route; readonly bookId: string }) {
  useShortcut(route.nav!.shortcut!, () => navigate(navPath(route, bookId)));
  return null;
}
