/**
 * A thin typed client of the API. Paths, parameters, bodies and responses are those of the contract
 * (schema.d.ts). Every write has an idempotency key, which it keeps over retries.
 */
import { Problem, toProblem } from './problem';
import type { paths } from './schema';
import { accessToken, discard, ORIGIN_BASE } from './session';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Operation<P extends keyof paths, M extends Method> = M extends keyof paths[P] ? NonNullable<paths[P][M]> : never;

/** Paths that have the method. */
type PathOf<M extends Method> = { [P in keyof paths]: paths[P] extends { [K in M]: object } ? P : never }[keyof paths];

type PathParams<O> = O extends { parameters: { path: infer T } } ? T : unknown;
type ItemParams<P extends keyof paths> = paths[P] extends { parameters: { path: infer T } } ? T : unknown;
type QueryParams<O> = O extends { parameters: { query?: infer T } } ? NonNullable<T> : Record<string, never>;
type Body<O> = O extends { requestBody?: { content: infer C } } ? C[keyof C] : never;
type Success<O> = O extends { responses: { 200: { content: infer C } } } ? C[keyof C] : undefined;

export interface RequestOptions<P extends keyof paths, O> {
  readonly path?: PathParams<O> & ItemParams<P>;
  readonly query?: QueryParams<O>;
  readonly body?: Body<O>;
  /** ETag of the version that the change was made on; a newer one gives `conditionNotMet`. */
  readonly ifMatch?: string | undefined;
  /** Of a write; generated when absent. Pass one to repeat the same action later. */
  readonly idempotencyKey?: string;
  readonly cursor?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Reply<T> {
  readonly data: T;
  readonly etag: string | undefined;
  /** Items that a batch left unchanged (3.6.3). */
  readonly skipped: number;
  readonly headers: Headers;
}

const MAX_ATTEMPTS = 4;
const MAX_WAIT_MS = 15_000;

/** A random key; `crypto.randomUUID` would need a secure context. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function call<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  options: RequestOptions<P, Operation<P, M>> = {},
): Promise<Reply<Success<Operation<P, M>>>> {
  const headers = new Headers({ Accept: 'application/json' });
  if (method !== 'get') headers.set('Idempotency-Key', options.idempotencyKey ?? newKey());
  if (options.ifMatch) headers.set('If-Match', options.ifMatch);
  if (options.cursor) headers.set('cursor', options.cursor);
  const init: RequestInit = { method: method.toUpperCase(), headers, signal: options.signal ?? null };
  if (options.body !== undefined) {
    headers.set('Content-Type', 'application/json');
    init.body = JSON.stringify(options.body);
  }
  const { response, data } = await send(buildUrl(path, options.path, options.query), init, withBody);
  return {
    data: data as Success<Operation<P, M>>,
    etag: response.headers.get('ETag') ?? undefined,
    skipped: Number(response.headers.get('Skipped-Items') ?? 0),
    headers: response.headers,
  };
}

const withBody = async (response: Response) => ({ response, data: response.status === 204 ? undefined : ((await response.json()) as unknown) });

function buildUrl(path: string, params: unknown, query: unknown): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = (params as Record<string, string> | undefined)?.[name];
    if (!value) throw new TypeError(`missing path parameter ${name} of ${path}`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries((query ?? {}) as Record<string, unknown>)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  const text = search.toString();
  return ORIGIN_BASE + filled.slice(1) + (text ? `?${text}` : '');
}

/**
 * Sends with a token. Refreshes an expired token once, and repeats after 429, 503 and lost connections, also those
 * that end within the response that `read` takes. All repetitions of a write have the same idempotency key, so the
 * server executes it once.
 */
export async function send<T>(url: string, init: RequestInit, read: (response: Response) => Promise<T>): Promise<T> {
  let refreshed = false;
  for (let attempt = 1; ; attempt += 1) {
    const token = await accessToken();
    if (!token) throw new Problem(401, 'required', 'You are signed out.');
    const headers = new Headers(init.headers);
    headers.set('Authorization', `Bearer ${token}`);
    let problem: Problem;
    try {
      const response = await fetch(url, { ...init, headers, credentials: 'omit' });
      if (response.ok) return await read(response);
      problem = await toProblem(response);
    } catch (error) {
      if (init.signal?.aborted) throw error;
      problem = new Problem(0, 'network', 'The server cannot be reached.');
    }
    const expired = problem.reason === 'tokenExpired' || problem.status === 401;
    if (expired && !refreshed) {
      refreshed = true;
      discard(token);
      continue;
    }
    if (!problem.isTransient || attempt >= MAX_ATTEMPTS) throw problem;
    await delay(Math.min(problem.retryAfterMs ?? 250 * 2 ** attempt, MAX_WAIT_MS), init.signal);
  }
}

function delay(milliseconds: number, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}

type Caller<M extends Method> = <P extends PathOf<M>>(
  path: P,
  options?: RequestOptions<P, Operation<P, M>>,
) => Promise<Reply<Success<Operation<P, M>>>>;

const caller = <M extends Method>(method: M): Caller<M> => (path, options) => call(method, path, options);

/** `api.get('/v5/books/{bookId}', { path: { bookId } })` */
export const api = {
  get: caller('get'),
  post: caller('post'),
  put: caller('put'),
  patch: caller('patch'),
  delete: caller('delete'),
};
