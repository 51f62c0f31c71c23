import type { RouteDef } from '~/frame/registry';

export const routes: RouteDef[] = [
  {
    path: '/b/:bookId/history',
    title: 'History',
    load: () => import('./HistoryPage'),
    nav: { icon: 'history', order: 80, shortcut: 'go-timeline' },
  },
];
