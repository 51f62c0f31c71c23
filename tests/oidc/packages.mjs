// The installed packages. They lie under the target directory, which the first argument names, so
// they are found from there and not from this folder.

import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(join(process.argv[2], 'package.json'));

export const { Provider } = require('oidc-provider');
export const jose = require('jose');
