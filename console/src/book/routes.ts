import type { RouteDef } from '~/frame/registry';

export const routes: RouteDef[] = [
  { path: '/', title: 'Books', load: () => import('./BooksPage') },
  { path: '/books', title: 'Books', load: () => import('./BooksPage') },
];
