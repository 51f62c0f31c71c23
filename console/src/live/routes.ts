import type { ExtensionDef } from '~/frame/registry';

export const extensions: ExtensionDef[] = [{ name: 'live', load: () => import('./Live') }];
