import type { RouteDef } from '~/frame/registry';

export const routes: RouteDef[] = [
  { path: '/collections', title: 'Collections', load: () => import('./CollectionsPage') },
  { path: '/collections/:collectionId', title: 'Collection', load: () => import('./CollectionPage') },
];
