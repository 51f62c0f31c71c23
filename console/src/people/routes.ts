import type { RouteDef } from '~/frame/registry';

export const routes: RouteDef[] = [
  {
    path: '/b/:bookId/people',
    title: 'People',
    load: () => import('./PeoplePage'),
    nav: { icon: 'people', order: 70, shortcut: 'go-people' },
  },
  // Outside of books: the visitor cannot open the book yet.
  { path: '/request-access/:requestedId', title: 'Ask for access', load: () => import('./RequestAccessPage') },
];
