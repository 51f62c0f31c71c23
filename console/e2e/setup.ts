/** Says once what is missing, instead of failing test by test. */
import { existsSync } from 'node:fs';
import { CHROMIUM } from '../playwright.config';
import { findBinary } from '../scripts/lib/daybook.mjs';

export default function setup(): void {
  console.log(`server ${findBinary()}`);
  if (!existsSync(CHROMIUM)) throw new Error(`no browser at ${CHROMIUM}: run tests/install-chromium, or set CHROMIUM`);
}
