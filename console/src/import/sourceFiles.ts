/**
 * The files of imports that this page has read. The server keeps no file that it could read again with other
 * options, so the page sends it again; after a reload it has to be chosen again.
 */
import type { Import } from './types';

/** The parameters that a file is read with. An import has its own as `options`. */
export type ReadOptions = Import['options'];

export interface Source {
  readonly file: File;
  readonly options: ReadOptions;
}

const MAX_KEPT = 5;
const sources = new Map<string, Source>();

export function keepSource(importId: string, source: Source): void {
  sources.set(importId, source);
  for (const oldest of sources.keys()) {
    if (sources.size <= MAX_KEPT) break;
    sources.delete(oldest);
  }
}

export function sourceOf(importId: string): Source | undefined {
  return sources.get(importId);
}

const HEAD_BYTES = 16 * 1024;

/** The first lines of a text file. */
export async function headOf(file: File): Promise<string> {
  const bytes = await file.slice(0, HEAD_BYTES).arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.byteLength === HEAD_BYTES ? bytes.slice(0, -4) : bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
