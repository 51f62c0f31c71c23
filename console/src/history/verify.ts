/** Reads the whole event log of a book and verifies its chain. */
import { api } from '~/api/client';
import { ChainWalk, type Link, type Verification } from './chain';
import { addMark, readMarks } from './marks';

const PAGE = 200;

export interface VerifyOptions {
  readonly bookId: string;
  readonly hasHidden: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (read: number, total: number) => void;
}

export async function verifyChain({ bookId, hasHidden, signal, onProgress }: VerifyOptions): Promise<Verification> {
  const walk = new ChainWalk({ bookId, hasHidden, marks: readMarks(bookId) });
  let [read, total] = [0, 0];
  let first: Link | undefined;
  let cursor: string | undefined;
  do {
    // Readers who do not see the whole log do not get events as they are hashed (8.15).
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
