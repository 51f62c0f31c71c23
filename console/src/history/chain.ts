/**
 * Verification of the event chain of a book (behaviour 8.15). An event follows from the one before it:
 * hash = SHA-256(previous hash, canonical event).
 *
 * listEvents shows resources as reads do, not as stored (8.16), and hides ids of users. Where an event has no
 * stored form, its hash cannot be recomputed outside of the server. The walk then still proves that the log is
 * complete, in order, and the same as when this browser last saw it.
 */
import { digest, fromHex, toHex } from './sha256';

/** What the walk needs of an event. */
export interface Link {
  readonly id: string;
  readonly sequence: number;
  readonly hash: string;
  readonly createdAt: string;
  /** The canonical event, from servers that send it. */
  readonly canonical?: string | undefined;
}

/** An event and hash that this browser has seen. */
export interface Mark {
  readonly sequence: number;
  readonly hash: string;
  readonly at: number;
}

export type BreakKind = 'missing' | 'numbering' | 'unreadable' | 'time' | 'hash' | 'changed' | 'shortened';

export interface Break {
  readonly kind: BreakKind;
  readonly sequence: number;
  readonly expected: string;
  readonly actual: string;
}

export interface Verification {
  /** The last event that was read. */
  readonly head: { readonly sequence: number; readonly hash: string } | undefined;
  readonly read: number;
  readonly recomputed: number;
  /** Earlier visits whose marks agree. */
  readonly matchedMarks: number;
  /** Events that the reader may not see. */
  readonly hidden: number;
  readonly firstBreak: Break | undefined;
}

export interface WalkOptions {
  readonly bookId: string;
  readonly marks: readonly Mark[];
  /** Whether gaps are events that the reader may not see (7.3), and no damage. */
  readonly hasHidden: boolean;
}

/** Walks the log from the first event to the last; feed it with `add` in the order of the log. */
export class ChainWalk {
  #previous: Link | undefined;
  #read = 0;
  #recomputed = 0;
  #hidden = 0;
  #matched = 0;
  #firstBreak: Break | undefined;
  readonly #marks: ReadonlyMap<number, Mark>;

  constructor(readonly options: WalkOptions) {
    this.#marks = new Map(options.marks.map((mark) => [mark.sequence, mark]));
  }

  async add(link: Link): Promise<void> {
    const expected = (this.#previous?.sequence ?? 0) + 1;
    if (link.sequence !== expected) {
      if (link.sequence > expected && this.options.hasHidden) this.#hidden += link.sequence - expected;
      else this.#fail('missing', expected, String(expected), String(link.sequence));
    }
    const id = link.sequence.toString(16).padStart(12, '0') + this.options.bookId;
    if (link.id !== id) this.#fail('numbering', link.sequence, id, link.id);
    if (this.#previous && Number(link.createdAt) < Number(this.#previous.createdAt)) {
      this.#fail('time', link.sequence, `not before ${this.#previous.createdAt}`, link.createdAt);
    }
    if (!/^[0-9a-f]{64}$/.test(link.hash)) this.#fail('unreadable', link.sequence, '64 hex digits', link.hash);
    const mark = this.#marks.get(link.sequence);
    if (mark && mark.hash !== link.hash) this.#fail('changed', link.sequence, mark.hash, link.hash);
    else if (mark) this.#matched += 1;
    await this.#recompute(link);
    this.#previous = link;
    this.#read += 1;
  }

  async #recompute(link: Link): Promise<void> {
    if (link.canonical === undefined) return;
    const isFirst = link.sequence === 1;
    const previous = isFirst ? new Uint8Array(32) : this.#previous?.sequence === link.sequence - 1 ? fromHex(this.#previous.hash) : undefined;
    if (!previous) return;
    const computed = await hashAfter(previous, link.canonical);
    if (computed === link.hash) this.#recomputed += 1;
    else this.#fail('hash', link.sequence, computed, link.hash);
  }

  #fail(kind: BreakKind, sequence: number, expected: string, actual: string): void {
    this.#firstBreak ??= { kind, sequence, expected, actual };
  }

  /** The result after the last event. */
  finish(): Verification {
    const last = this.#previous;
    const beyond = this.options.marks.find((mark) => mark.sequence > (last?.sequence ?? 0));
    if (beyond) this.#fail('shortened', beyond.sequence, `event ${beyond.sequence}`, `the log ends at ${last?.sequence ?? 0}`);
    return {
      head: last && { sequence: last.sequence, hash: last.hash },
      read: this.#read,
      recomputed: this.#recomputed,
      matchedMarks: this.#matched,
      hidden: this.#hidden,
      firstBreak: this.#firstBreak,
    };
  }
}

/** The hash of a canonical event after another one. */
export async function hashAfter(previous: Uint8Array, canonical: string): Promise<string> {
  const event = new TextEncoder().encode(canonical);
  const bytes = new Uint8Array(previous.length + event.length);
  bytes.set(previous);
  bytes.set(event, previous.length);
  return toHex(await digest(bytes));
}

export const BREAKS: Record<BreakKind, string> = {
  missing: 'An event is missing.',
  numbering: 'The id does not belong to its number.',
  unreadable: 'The hash is not readable.',
  time: 'The event is earlier than the one before it.',
  hash: 'The hash does not follow from the event before it.',
  changed: 'The event is not the one that this browser saw before.',
  shortened: 'The log is shorter than when this browser last saw it.',
};
