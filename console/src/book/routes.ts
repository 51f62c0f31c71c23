import type { RouteDef } from '~/frame/registry';

export const routes: RouteDef[] = [
  { path: '/', title: 'Books', load: () => import('./BooksPage') },
  { path: '/books', title: 'Books', load: () => import('./BooksPage') },
  { path: '/books/new', title: 'New book', load: () => import('./NewBookPage') },
  { path: '/books/deleted', title: 'Deleted books', load: () => import('./DeletedBooksPage') },
  {
    path: '/b/:bookId',
    title: 'Overview',
    load: () => import('./OverviewPage'),
    nav: { icon: 'home', order: 10, shortcut: 'go-overview' },
  },
  {
    path: '/b/:bookId/settings',
    title: 'Settings',
    load: () => import('./SettingsPage'),
    nav: { icon: 'settings', order: 90, shortcut: 'go-settings' },
  },
];
