import type { ExtensionDef, RouteDef } from '~/frame/registry';

export const routes: RouteDef[] = [
  { path: '/me', title: 'Profile', load: () => import('./ProfilePage') },
  { path: '/me/devices', title: 'Devices and sessions', load: () => import('./DevicesPage') },
  { path: '/me/access', title: 'Tokens and apps', load: () => import('./AccessPage') },
];

export const extensions: ExtensionDef[] = [{ name: 'profile-commands', load: () => import('./ProfileCommands') }];
