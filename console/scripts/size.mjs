// Checks the budget of the first load: index.html, its script and styles, and everything they import.
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const BUDGET_KB = 230;
const dist = new URL('../../crates/console/dist/', import.meta.url);
const html = readFileSync(new URL('index.html', dist), 'utf8');

if (/<script(?![^>]*\ssrc=)[^>]*>|<style|\sstyle=|\son\w+=/.test(html)) {
  console.error('index.html has an inline script or style, which the Content-Security-Policy forbids');
  process.exit(1);
}

if (html.split('<base href="/">').length !== 2) {
  console.error('index.html must contain <base href="/"> once: the server replaces it');
  process.exit(1);
}

const size = (path) => gzipSync(readFileSync(new URL(path, dist)), { level: 9 }).length;
const first = new Set(['index.html']);
const queue = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map((match) => match[1]);
for (let path = queue.pop(); path; path = queue.pop()) {
  if (first.has(path)) continue;
  first.add(path);
  if (!path.endsWith('.js')) continue;
  const code = readFileSync(new URL(path, dist), 'utf8');
  for (const [, name] of code.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)) queue.push(`assets/${name}`);
}

const kilobytes = (bytes) => (bytes / 1000).toFixed(1).padStart(7);
let total = 0;
for (const path of [...first].sort()) {
  total += size(path);
  console.log(`${kilobytes(size(path))} KB  ${path}`);
}
const later = readdirSync(new URL('assets/', dist)).filter((name) => !first.has(`assets/${name}`));
console.log(`${kilobytes(total)} KB  first load, gzip (budget ${BUDGET_KB} KB); ${later.length} files load later`);
if (total > BUDGET_KB * 1000) {
  console.error('the first load is above its budget');
  process.exit(1);
}
