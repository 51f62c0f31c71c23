import type { ExtensionDef } from '~/frame/registry';

export const extensions: ExtensionDef[] = [{ name: 'entry', load: () => import('./Entry') }];
