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

/** Keeps only what the walk needs: a log of a million events must fit into memory. */
function toLink(event: { readonly id: string; readonly sequence: number; readonly hash: string; readonly createdAt: string }): Link {
  const { canonical } = event as { canonical?: unknown };
  const { id, sequence, hash, createdAt } = event;
  return { id, sequence, hash, createdAt, canonical: typeof canonical === 'string' ? canonical : undefined };
}

export async function verifyChain({ bookId, hasHidden, signal, onProgress }: VerifyOptions): Promise<Verification> {
  const links: Link[] = [];
  let cursor: string | undefined;
  do {
    const { data } = await api.get('/v5/books/{bookId}/events', { path: { bookId }, query: { limit: PAGE }, cursor, signal });
    for (const event of data.items ?? []) links.push(toLink(event));
    cursor = data.cursor;
    onProgress(links.length, links[0]?.sequence ?? 0);
  } while (cursor);
  const walk = new ChainWalk({ bookId, hasHidden, marks: readMarks(bookId) });
  // The API lists the newest first; the chain begins with the oldest.
  for (const link of links.reverse()) await walk.add(link);
  const result = walk.finish();
  if (!result.firstBreak && result.head) {
    const first = links[0]!;
    addMark(bookId, { sequence: first.sequence, hash: first.hash, at: Date.now() });
    addMark(bookId, { ...result.head, at: Date.now() });
  }
  return result;
}
