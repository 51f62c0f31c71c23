import type { RouteDef } from '~/frame/registry';

export const routes: RouteDef[] = [
  {
    path: '/b/:bookId/accounts/:accountId',
    title: 'Register',
    load: () => import('./RegisterPage'),
    header: ['period', 'query'],
  },
  {
    path: '/b/:bookId/groups/:groupId',
    title: 'Group',
    load: () => import('./GroupPage'),
    header: ['period', 'query'],
  },
];
