import type { PanelDef, RouteDef } from '~/frame/registry';

export const routes: RouteDef[] = [
  {
    path: '/b/:bookId/transactions',
    title: 'Transactions',
    load: () => import('./TransactionsPage'),
    header: ['period', 'query'],
    nav: { icon: 'list', order: 20, shortcut: 'go-transactions' },
  },
];

export const panels: PanelDef[] = [{ kind: 'transaction', title: 'Transaction', load: () => import('./TransactionPanel') }];
