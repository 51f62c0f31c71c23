import type { ExtensionDef, PanelDef, RouteDef } from '~/frame/registry';

export const routes: RouteDef[] = [
  {
    path: '/b/:bookId/transactions',
    title: 'Transactions',
    load: () => import('./TransactionsPage'),
    header: ['period', 'query'],
    nav: { icon: 'list', order: 20, shortcut: 'go-transactions' },
  },
  {
    path: '/b/:bookId/trash',
    title: 'Trash',
    load: () => import('./TrashPage'),
    header: ['period', 'query'],
    nav: { icon: 'trash', order: 21, isHidden: true },
  },
];

export const panels: PanelDef[] = [{ kind: 'transaction', title: 'Transaction', load: () => import('./TransactionPanel') }];

export const extensions: ExtensionDef[] = [{ name: 'questions', load: () => import('./Questions') }];
