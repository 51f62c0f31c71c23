import type { RouteDef } from '~/frame/registry';

export const routes: RouteDef[] = [
  {
    path: '/b/:bookId/drafts',
    title: 'Drafts',
    load: () => import('./DraftsPage'),
    header: ['query'],
    nav: { icon: 'draft', order: 25, shortcut: 'go-drafts' },
  },
];
