import type { RouteDef } from '~/frame/registry';

export const routes: RouteDef[] = [
  {
    path: '/b/:bookId/budget',
    title: 'Budget',
    load: () => import('./BudgetPage'),
    header: ['period'],
    nav: { icon: 'budget', order: 50, shortcut: 'go-budget' },
  },
];
