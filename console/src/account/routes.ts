import type { PanelDef, RouteDef } from '~/frame/registry';

export const routes: RouteDef[] = [
  {
    path: '/b/:bookId/accounts',
    title: 'Accounts',
    load: () => import('./AccountsPage'),
    header: ['period'],
    nav: { icon: 'accounts', order: 60, shortcut: 'go-accounts' },
  },
  { path: '/b/:bookId/opening-balances', title: 'Opening balances', load: () => import('./OpeningPage') },
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

export const panels: PanelDef[] = [
  { kind: 'account', title: 'Account', load: () => import('./AccountPanel') },
  { kind: 'group', title: 'Group', load: () => import('./GroupPanel') },
];
