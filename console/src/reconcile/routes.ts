import type { ExtensionDef, RouteDef } from '~/frame/registry';

export const routes: RouteDef[] = [
  {
    path: '/b/:bookId/reconcile',
    title: 'Reconcile',
    load: () => import('./ReconcilePage'),
    nav: { icon: 'reconcile', order: 30 },
  },
  { path: '/b/:bookId/reconcile/new', title: 'Reconcile', load: () => import('./SheetPage') },
  { path: '/b/:bookId/reconcile/:sheetId/print', title: 'Reconciliation sheet', load: () => import('./PrintPage') },
  { path: '/b/:bookId/reconcile/:sheetId', title: 'Reconcile', load: () => import('./SheetPage') },
];

export const extensions: ExtensionDef[] = [{ name: 'reconcile-shortcut', load: () => import('./ReconcileShortcut') }];
