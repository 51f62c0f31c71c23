/**
 * One event stream for all tabs of a browser: the tab that holds a Web Lock reads the stream and tells the
 * others over a BroadcastChannel. When it closes, another tab gets the lock and continues after the last
 * event. Without Web Locks (they need a secure context) each tab reads a stream of its own.
 */
import { bookChanged, queryClient, keys } from '~/api/cache';
import { ORIGIN_BASE } from '~/api/session';
import type { ServerEvent } from './sse';
import { setLiveState, type LiveState } from './state';
import { followStream } from './stream';

type Message =
  | { readonly kind: 'event'; readonly id: string; readonly type: string; readonly hasData: boolean }
  | { readonly kind: 'gap' }
  | { readonly kind: 'state'; readonly state: LiveState }
  /** A new tab asks for the state. */
  | { readonly kind: 'hello' };

const RELOAD_MS = 200;
const KEEPS_FIGURES = /^TRANSACTION_(UN)?CHECKED$/;

/** Follows a book until the returned function is called. `isQuiet` leaves the state of the connection to the book of the page. */
export function followBook(bookId: string, { isQuiet = false }: { readonly isQuiet?: boolean } = {}): () => void {
  const end = new AbortController();
  const name = `daybook-live ${ORIGIN_BASE} ${bookId}`;
  const canShare = typeof BroadcastChannel !== 'undefined' && typeof navigator !== 'undefined' && 'locks' in navigator;
  const channel = canShare ? new BroadcastChannel(name) : undefined;
  let keepsFigures = true;
  const reload = debounce(() => {
    bookChanged(bookId, { keepsFigures });
    keepsFigures = true;
  }, RELOAD_MS);
  let lastId: string | undefined;
  let isLeader = false;
  let state: LiveState = { status: 'connecting' };

  const take = (message: Message) => {
    if (message.kind === 'state') {
      ({ state } = message);
      if (!isQuiet) setLiveState(state);
    } else if (message.kind === 'event') {
      if (message.id) lastId = message.id;
      if (message.hasData) {
        keepsFigures &&= KEEPS_FIGURES.test(message.type);
        reload.run();
      }
      if (message.hasData && /BOOK/.test(message.type)) void queryClient.invalidateQueries({ queryKey: keys.books });
    } else if (message.kind === 'gap') {
      keepsFigures = false;
      reload.run();
    } else if (isLeader) {
      channel?.postMessage({ kind: 'state', state } satisfies Message);
    }
  };
  const tell = (message: Message) => {
    take(message);
    channel?.postMessage(message);
  };
  const lead = async () => {
    isLeader = true;
    await followStream({
      bookId,
      lastId,
      // A leading tab has sent its state before.
      isTakeover: state.status !== 'connecting',
      signal: end.signal,
      onEvent: ({ id, type, data }: ServerEvent) => tell({ kind: 'event', id, type, hasData: data !== '' }),
      onGap: () => tell({ kind: 'gap' }),
      onState: (next) => tell({ kind: 'state', state: next }),
    });
    isLeader = false;
  };

  if (channel) {
    channel.onmessage = ({ data }: MessageEvent<Message>) => take(data);
    channel.postMessage({ kind: 'hello' } satisfies Message);
    navigator.locks.request(name, { signal: end.signal }, lead).catch(() => undefined);
  } else {
    void lead();
  }
  return () => {
    end.abort();
    reload.cancel();
    channel?.close();
    if (!isQuiet) setLiveState({ status: 'off' });
  };
}

/** Runs once after a burst of calls. Calls that keep coming do not delay it. */
function debounce(action: () => void, delay: number): { run: () => void; cancel: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    run: () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        action();
      }, delay);
    },
    cancel: () => clearTimeout(timer),
  };
}
