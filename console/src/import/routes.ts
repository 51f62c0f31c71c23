import type { PanelDef, RouteDef } from '~/frame/registry';

export const routes: RouteDef[] = [
  {
    path: '/b/:bookId/imports',
    title: 'Import',
    load: () => import('./ImportsPage'),
    nav: { icon: 'import', order: 35, shortcut: 'go-imports' },
  },
  { path: '/b/:bookId/imports/:importId', title: 'Import', load: () => import('./ImportPage') },
];

export const panels: PanelDef[] = [
  { kind: 'import-record', title: 'Record', load: () => import('./RecordPanel') },
  { kind: 'import-rules', title: 'Rules', load: () => import('./RulesPanel') },
];
