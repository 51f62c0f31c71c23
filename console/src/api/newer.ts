/**
 * Operations that are newer than the generated types. Move a call to `api` when `schema.d.ts` has it, and
 * remove this file with the last one.
 */
import { newKey, send } from './client';
import { ORIGIN_BASE } from './session';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** `path` is relative to the API: `v5/books/1/reconciliations`. Its parts must be encoded. */
export async function callNewer<T>(method: Method, path: string, options: { body?: unknown; key?: string; signal?: AbortSignal } = {}): Promise<T> {
  const headers = new Headers({ Accept: 'application/json' });
  if (method !== 'GET') headers.set('Idempotency-Key', options.key ?? newKey());
  const init: RequestInit = { method, headers, signal: options.signal ?? null };
  if (options.body !== undefined) {
    headers.set('Content-Type', 'application/json');
    init.body = JSON.stringify(options.body);
  }
  return (await (await send(ORIGIN_BASE + path, init)).json()) as T;
}
