/** Reads the whole event log of a book and verifies its chain. */
import { api } from '~/api/client';
import { isProblem } from '~/api/problem';
import { ChainWalk, type Link, type Verification } from './chain';
import { addMark, readMarks } from './marks';

const PAGE = 200;

export interface VerifyOptions {
  readonly bookId: string;
  readonly signal: AbortSignal;
  readonly onProgress: (read: number, total: number) => void;
}

/** Readers of a public book do not see the events of people and comments (7.3), nor events as they are hashed (8.15). */
async function seesAll(bookId: string, signal: AbortSignal): Promise<boolean> {
  try {
    const query = { limit: 1, canonical: true };
    await api.get('/v5/books/{bookId}/events', { path: { bookId }, query, signal });
    return true;
  } catch (error) {
    if (isProblem(error, 'forbidden')) return false;
    throw error;
  }
}

export async function verifyChain({ bookId, signal, onProgress }: VerifyOptions): Promise<Verification> {
  const hasHidden = !(await seesAll(bookId, signal));
  const walk = new ChainWalk({ bookId, hasHidden, marks: readMarks(bookId) });
  let [read, total] = [0, 0];
  let first: Link | undefined;
  let cursor: string | undefined;
  do {
    const query = { limit: PAGE, ...(hasHidden ? {} : { canonical: true }) };
    const { data } = await api.get('/v5/books/{bookId}/events', { path: { bookId }, query, cursor, signal });
    for (const event of data.items ?? []) {
      first = event;
      await walk.add(event);
    }
    cursor = data.cursor;
    read += data.items?.length ?? 0;
    total ||= data.items?.[0]?.sequence ?? 0;
    onProgress(read, total);
  } while (cursor);
  const result = await walk.finish();
  if (!result.firstBreak && result.head && first) {
    addMark(bookId, { sequence: first.sequence, hash: first.hash, at: Date.now() });
    addMark(bookId, { ...result.head, at: Date.now() });
  }
  return result;
}
