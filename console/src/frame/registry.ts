/**
 * Collects what the noun folders contribute: routes, side panels and extensions of every book page. Each
 * folder has its own `routes.ts`, so views are added without a change here.
 */
import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import type { IconName } from '~/ui/Icon';

type Loader<Props> = () => Promise<{ default: ComponentType<Props> }>;

export interface RouteDef {
  /** `/b/:bookId/...` for a view of a book; the component gets the parameters as props. */
  readonly path: string;
  readonly title: string;
  readonly load: Loader<Record<string, string>>;
  /** Parts of the header that have an effect on this view. */
  readonly header?: readonly ('period' | 'query')[];
  /** An entry in the sidebar, and a command of the palette. */
  readonly nav?: {
    readonly icon: IconName;
    /** Position in the sidebar; see README for the numbers. */
    readonly order: number;
    /** Id of its shortcut in lib/keymap.ts. */
    readonly shortcut?: string;
    /** Query string for the link, such as `q=is:draft`. */
    readonly search?: string;
    /** Only in the palette. */
    readonly isHidden?: boolean;
  };
}

export interface PanelProps {
  /** The part after the colon in `?panel=transaction:123`. */
  readonly id: string;
  readonly close: () => void;
}

export interface PanelDef {
  readonly kind: string;
  readonly title: string;
  readonly load: Loader<PanelProps>;
}

/** A component on every page of a book, above the view. It may render nothing and only handle keys. */
export interface ExtensionDef {
  readonly name: string;
  readonly load: Loader<object>;
}

export interface Contribution {
  readonly routes?: readonly RouteDef[];
  readonly panels?: readonly PanelDef[];
  readonly extensions?: readonly ExtensionDef[];
}

const modules = import.meta.glob<Contribution>('../*/routes.ts', { eager: true });
const contributions = Object.values(modules);

export interface Route extends RouteDef {
  readonly Component: LazyExoticComponent<ComponentType<Record<string, string>>>;
}

export const routes: readonly Route[] = contributions
  .flatMap((contribution) => contribution.routes ?? [])
  .map((route) => ({ ...route, Component: lazy(route.load) }));

export const panels: ReadonlyMap<string, PanelDef & { readonly Component: LazyExoticComponent<ComponentType<PanelProps>> }> = new Map(
  contributions.flatMap((contribution) => contribution.panels ?? []).map((panel) => [panel.kind, { ...panel, Component: lazy(panel.load) }]),
);

export const extensions = contributions
  .flatMap((contribution) => contribution.extensions ?? [])
  .map((extension) => ({ ...extension, Component: lazy(extension.load) }));

/** Book views with a sidebar entry, in order. */
export const bookNav = routes
  .filter((route) => route.nav && route.path.startsWith('/b/:bookId'))
  .sort((a, b) => a.nav!.order - b.nav!.order);

/** The path of a view in a book. The current period is kept where the view has one. */
export function navPath(route: RouteDef, bookId: string): string {
  const period = route.header?.includes('period') ? new URLSearchParams(window.location.search).get('period') : null;
  const search = [route.nav?.search, period && `period=${period}`].filter(Boolean).join('&');
  return route.path.replace(':bookId', encodeURIComponent(bookId)) + (search && `?${search}`);
}
