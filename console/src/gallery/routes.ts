import type { RouteDef } from '~/frame/registry';

/** Shared components with all their states, for development only: `/b/<book>/gallery`. */
export const routes: RouteDef[] = import.meta.env.DEV
  ? [{ path: '/b/:bookId/gallery', title: 'Components', load: () => import('./GalleryPage') }]
  : [];
