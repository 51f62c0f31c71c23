/** FEATURES.md names a browser test for each feature: the numbers, files and titles must be those of the specs. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Row { readonly feature: number; readonly spec: string; readonly title: string }

const here = new URL('.', import.meta.url);
const table = readFileSync(new URL('FEATURES.md', here), 'utf8');
const rows: Row[] = [...table.matchAll(/^\| (\d+) \| [^|]+ \| `([\w-]+\.spec\.ts)` \| (.+) \|$/gm)].map((match) => ({
  feature: Number(match[1]), spec: match[2]!, title: match[3]!,
}));

const specs = new Map(readdirSync(here).filter((name) => name.endsWith('.spec.ts')).map((name) => {
  const source = readFileSync(new URL(name, here), 'utf8');
  return [name, [...source.matchAll(/^test\((['`])(.*?)\1, /gm)].map((match) => match[2]!)] as const;
}));
const numbersOf = (title: string): number[] => [...title.matchAll(/\[(\d+)\]/g)].map((match) => Number(match[1]));

// 37, 50 and 52 are not of this release.
const LATER = [37, 50, 52];
const FEATURES = Array.from({ length: 52 }, (_, index) => index + 1).filter((number) => !LATER.includes(number));

test('each feature has a test', () => {
  expect(FEATURES.filter((number) => !rows.some(({ feature }) => feature === number))).toEqual([]);
});

test.each(rows)('$feature: $spec has the test', ({ feature, spec, title }) => {
  expect(specs.get(spec)).toContain(title);
  expect(numbersOf(title)).toContain(feature);
});

test('each test of a feature stands in the table; `npm run features` writes it', () => {
  const missing = [...specs].flatMap(([spec, titles]) => titles.flatMap((title) =>
    numbersOf(title).filter((number) => !rows.some((row) => row.feature === number && row.spec === spec && row.title === title)).map((number) => `${number} ${spec} ${title}`)));
  expect(missing).toEqual([]);
});
