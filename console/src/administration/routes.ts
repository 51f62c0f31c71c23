import type { RouteDef } from '~/frame/registry';

export const routes: RouteDef[] = [
  { path: '/administration', title: 'Administration', load: () => import('./AdministrationPage') },
];
