import type { RouteDef } from '~/frame/registry';

export const routes: RouteDef[] = [
  {
    path: '/b/:bookId/apps',
    title: 'Apps',
    load: () => import('./AppsPage'),
    nav: { icon: 'apps', order: 75, shortcut: 'go-apps' },
  },
];
