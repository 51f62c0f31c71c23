/**
 * Reads the event stream of a book (behaviour 8.23) and connects again after each loss, from the last event.
 * The stream is read with fetch, because EventSource cannot send a bearer token.
 */
import { send } from '~/api/client';
import { isProblem, Problem } from '~/api/problem';
import { ORIGIN_BASE } from '~/api/session';
import { EventStreamParser, type ServerEvent } from './sse';
import type { LiveState } from './state';

/** The server sends a comment after 15 seconds without an event. */
const SILENCE_MS = 40_000;
const MAX_WAIT_MS = 30_000;

export interface StreamOptions {
  readonly bookId: string;
  /** The last event that is known, or undefined to begin with the next one. */
  readonly lastId: string | undefined;
  /** Another tab read the stream before: events between both are missing where `lastId` is. */
  readonly isTakeover: boolean;
  readonly signal: AbortSignal;
  readonly onEvent: (event: ServerEvent) => void;
  /** After a loss: events may be missing, so everything of the book is loaded again. */
  readonly onGap: () => void;
  readonly onState: (state: LiveState) => void;
}

/** How long to wait before the next attempt: 1, 2, 4 ... 30 seconds, or what the server asks for. */
export function waitBefore(attempt: number, problem: unknown): number {
  const asked = isProblem(problem) ? (problem.retryAfterMs ?? 0) : 0;
  return Math.max(asked, Math.min(MAX_WAIT_MS, 1000 * 2 ** Math.max(0, attempt - 1)));
}

/** What a refusal means for the next attempt. */
export function afterRefusal(problem: unknown, lastId: string | undefined): { readonly isFinal: boolean; readonly lastId: string | undefined; readonly hasGap: boolean } {
  if (!isProblem(problem)) return { isFinal: false, lastId, hasGap: false };
  // No such operation, no permission, or no such book: trying again would not help.
  if ([403, 404, 405].includes(problem.status)) return { isFinal: true, lastId, hasGap: false };
  // An event that is too large for a response is passed by; its change is loaded like any other.
  if (problem.reason === 'answerTooLarge' && lastId) return { isFinal: false, lastId: String(BigInt(lastId) + 1n), hasGap: true };
  if (problem.status === 400) return { isFinal: false, lastId: undefined, hasGap: true };
  return { isFinal: false, lastId, hasGap: false };
}

/** Runs until the signal aborts, or until the server refuses for good. */
export async function followStream({ bookId, lastId, isTakeover, signal, onEvent, onGap, onState }: StreamOptions): Promise<void> {
  let known = lastId;
  let attempt = 0;
  let mayMiss = isTakeover;
  while (!signal.aborted) {
    if (attempt === 0) onState({ status: 'connecting' });
    let problem: unknown;
    try {
      await readOnce(bookId, known, signal, () => {
        // Without an event number the losses before this connection are unknown.
        if (mayMiss && known === undefined) onGap();
        attempt = 0;
        onState({ status: 'live' });
      }, (event) => {
        if (event.id) known = event.id;
        onEvent(event);
      });
    } catch (error) {
      problem = error;
    }
    if (signal.aborted) return;
    const next = afterRefusal(problem, known);
    if (next.isFinal) return onState({ status: 'off' });
    if (next.hasGap) onGap();
    known = next.lastId;
    mayMiss = true;
    attempt += 1;
    const wait = problem === undefined ? 200 : waitBefore(attempt, problem);
    if (problem !== undefined) onState({ status: 'waiting', retryAt: Date.now() + wait });
    await pause(wait, signal);
  }
}

async function readOnce(bookId: string, lastId: string | undefined, outer: AbortSignal, onOpen: () => void, onEvent: (event: ServerEvent) => void): Promise<void> {
  const inner = new AbortController();
  const abort = () => inner.abort();
  outer.addEventListener('abort', abort);
  // Browsers keep an open response for minutes after the network has gone.
  window.addEventListener('offline', abort);
  let timer = setTimeout(abort, SILENCE_MS);
  try {
    const headers = new Headers({ Accept: 'text/event-stream' });
    if (lastId !== undefined) headers.set('Last-Event-ID', lastId);
    const response = await send(`${ORIGIN_BASE}v5/books/${encodeURIComponent(bookId)}/events/stream`, { headers, signal: inner.signal }, (opened) => Promise.resolve(opened));
    if (!response.body) throw new Problem(0, 'unreadable', 'the stream has no body');
    onOpen();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const parser = new EventStreamParser();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(abort, SILENCE_MS);
      parser.push(value).forEach(onEvent);
    }
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', abort);
    window.removeEventListener('offline', abort);
    inner.abort();
  }
}

/** Waits; ends early when the browser is online again, when the page is shown, or on request. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      window.removeEventListener('online', end);
      window.removeEventListener(RETRY_EVENT, end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    window.addEventListener('online', end);
    window.addEventListener(RETRY_EVENT, end);
    signal.addEventListener('abort', end);
  });
}

export const RETRY_EVENT = 'daybook-retry';
