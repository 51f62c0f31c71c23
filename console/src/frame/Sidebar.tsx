import { AccountTree } from '~/account/AccountTree';
import { sessionRights, signOutUrl } from '~/api/session';
import { useBooks, useUser } from '~/book/queries';
import { bookHomePath } from '~/book/paths';
import { PinnedQueries } from '~/book/PinnedQueries';
import { useBook, useOptionalBook } from '~/book/types';
import { navigate, usePath, useSearch } from '~/lib/router';
import { Button } from '~/ui/Button';
import { Icon } from '~/ui/Icon';
import { Link } from '~/ui/Link';
import { Menu } from '~/ui/Menu';
import { setPrefs, usePrefs } from '~/ui/prefs';
import { bookNav, navPath } from './registry';
import './Sidebar.css';

export function Sidebar() {
  const book = useOptionalBook();
  return (
    <nav className="sidebar" aria-label="Main">
      <BookSwitcher />
      {book ? (
        <>
          <BookNav />
          {book.can('VIEWER') && <PinnedQueries />}
          {book.can('VIEWER') && <AccountTree />}
        </>
      ) : (
        <BookLinks />
      )}
      <UserMenu />
    </nav>
  );
}

function BookSwitcher() {
  const book = useOptionalBook();
  const books = useBooks().data ?? [];
  const entries = [
    ...books.map(({ id, name }) => ({ id: id!, label: name!, checked: id === book?.id, run: () => navigate(bookHomePath(id!)) })),
    { id: ' all', label: 'All books', run: () => navigate('/books') },
  ];
  return (
    <div className="sidebar-top">
      <Menu
        label="Books"
        entries={entries}
        trigger={
          <Button look="ghost" className="sidebar-book">
            <span className="hidden-visually">Book:</span>
            <span className="sidebar-logo"><Icon name="book" /></span>
            <bdi className="truncate">{book?.book.name ?? 'Daybook'}</bdi>
            {book?.currency && <span className="muted sidebar-currency">{book.currency}</span>}
            <Icon name="down" size={12} />
          </Button>
        }
      />
    </div>
  );
}

/** The books themselves, on pages outside of books. */
function BookLinks() {
  const books = useBooks().data ?? [];
  return (
    <ul className="sidebar-list">
      {books.map(({ id, name }) => (
        <li key={id}>
          <Link to={bookHomePath(id!)} className="sidebar-item"><Icon name="book" /> <bdi className="truncate">{name}</bdi></Link>
        </li>
      ))}
    </ul>
  );
}

function BookNav() {
  const { id } = useBook();
  const path = usePath();
  const search = useSearch();
  return (
    <ul className="sidebar-list">
      {bookNav.filter((route) => !route.nav!.isHidden).map((route) => {
        const to = navPath(route, id);
        const isCurrent = path === to.split('?')[0] && search.includes(route.nav!.search ?? '');
        return (
          <li key={route.path + route.title}>
            <Link to={to} className="sidebar-item" aria-current={isCurrent ? 'page' : undefined}>
              <Icon name={route.nav!.icon} /> {route.title}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function UserMenu() {
  const { data: user } = useUser();
  const prefs = usePrefs();
  const themes = { system: 'Theme of the system', light: 'Light theme', dark: 'Dark theme' } as const;
  const entries = [
    { id: 'profile', label: 'Profile and devices', run: () => navigate('/me') },
    ...(sessionRights().administrator ? [{ id: 'administration', label: 'Administration', run: () => navigate('/administration') }] : []),
    ...(Object.keys(themes) as (keyof typeof themes)[]).map((theme) => ({
      id: theme, label: themes[theme], checked: prefs.theme === theme, run: () => setPrefs({ theme }),
    })),
    { id: 'density', label: 'Comfortable rows', checked: prefs.density === 'comfortable', run: () => setPrefs({ density: prefs.density === 'compact' ? 'comfortable' : 'compact' }) },
    { id: 'keys', label: 'Single-key shortcuts', checked: prefs.singleKeys, run: () => setPrefs({ singleKeys: !prefs.singleKeys }) },
    { id: 'terms', label: 'Debit and Credit', checked: prefs.accountingTerms, run: () => setPrefs({ accountingTerms: !prefs.accountingTerms }) },
    { id: 'sign-out', label: 'Sign out', run: () => window.location.assign(signOutUrl()) },
  ];
  return (
    <div className="sidebar-user">
      <Menu
        label="You"
        entries={entries}
        trigger={
          <Button look="ghost" className="sidebar-book">
            <span className="hidden-visually">You:</span>
            <Icon name="person" />
            <span className="truncate">{user?.name ?? user?.username ?? ''}</span>
            <Icon name="more" />
          </Button>
        }
      />
    </div>
  );
}
