// Prints the runtime packages with version and licence, and fails on one that is not permissive.
import { readFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const lock = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8'));
const PERMITTED = new Set(['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD']);
let failed = false;
for (const [path, entry] of Object.entries(lock.packages)) {
  if (!path || entry.dev || entry.devOptional || entry.optional) continue;
  const { license = 'unknown' } = JSON.parse(readFileSync(new URL(`${path}/package.json`, root), 'utf8'));
  console.log(`| ${path.replace(/^.*node_modules\//, '')} | ${entry.version} | ${license} |`);
  if (!PERMITTED.has(license)) failed = true;
}
if (failed) {
  console.error('a runtime package has a licence that is not on the list of scripts/licenses.mjs');
  process.exit(1);
}
