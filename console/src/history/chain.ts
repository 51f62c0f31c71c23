/**
 * Verification of the event chain of a book (behaviour 8.15). An event follows from the one before it:
 * hash = SHA-256(previous hash, canonical event). The walk also proves that the log is complete, in order, and the
 * same as when this browser last saw it.
 */
import { digest, fromHex, toHex } from './sha256';

/** What the walk needs of an event. */
export interface Link {
  readonly id: string;
  readonly sequence: number;
  readonly hash: string;
  readonly createdAt: string;
  readonly type: string;
  readonly resource: string;
  /** The text that is hashed; readers who do not see the whole log do not get it. */
  readonly canonical?: string | undefined;
}

/** An event and hash that this browser has seen. */
export interface Mark {
  readonly sequence: number;
  readonly hash: string;
  readonly at: number;
}

export type BreakKind = 'missing' | 'numbering' | 'unreadable' | 'time' | 'hash' | 'other' | 'changed' | 'shortened';

export interface Break {
  readonly kind: BreakKind;
  readonly sequence: number;
  readonly expected: string;
  readonly actual: string;
}

export interface Verification {
  /** The last event of the log. */
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

const ZERO = '0'.repeat(64);

/**
 * Walks the log from the last event to the first, in the order of listEvents. It keeps one event, so a log of a
 * million events needs no memory.
 */
export class ChainWalk {
  #head: Link | undefined;
  /** The event that was added last, which follows the one that is added next. */
  #next: Link | undefined;
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
    const next = this.#next;
    this.#head ??= link;
    if (next) {
      this.#checkGap(link.sequence, next.sequence);
      if (Number(next.createdAt) < Number(link.createdAt)) this.#fail('time', next.sequence, `not before ${link.createdAt}`, next.createdAt);
      if (link.sequence === next.sequence - 1) await this.#recompute(next, link.hash);
    }
    this.#checkLink(link);
    this.#next = link;
    this.#read += 1;
  }

  #checkGap(before: number, after: number): void {
    if (before === after - 1) return;
    if (before < after && this.options.hasHidden) this.#hidden += after - before - 1;
    else this.#fail('missing', before + 1, String(before + 1), String(after));
  }

  #checkLink(link: Link): void {
    const id = link.sequence.toString(16).padStart(12, '0') + this.options.bookId;
    if (link.id !== id) this.#fail('numbering', link.sequence, id, link.id);
    if (!/^[0-9a-f]{64}$/.test(link.hash)) this.#fail('unreadable', link.sequence, '64 hex digits', link.hash);
    const mark = this.#marks.get(link.sequence);
    if (mark && mark.hash !== link.hash) this.#fail('changed', link.sequence, mark.hash, link.hash);
    else if (mark) this.#matched += 1;
    const shown = link.canonical === undefined ? undefined : identityOf(link);
    const hashed = shown && hashedIdentity(link.canonical!);
    if (shown !== hashed) this.#fail('other', link.sequence, shown ?? '', hashed ?? '');
  }

  async #recompute(link: Link, previousHash: string): Promise<void> {
    const previous = fromHex(previousHash);
    if (link.canonical === undefined || !previous) return;
    const computed = await hashAfter(previous, link.canonical);
    if (computed === link.hash) this.#recomputed += 1;
    else this.#fail('hash', link.sequence, computed, link.hash);
  }

  /** The first break of the log is the one that is found last. */
  #fail(kind: BreakKind, sequence: number, expected: string, actual: string): void {
    if (!this.#firstBreak || sequence < this.#firstBreak.sequence) this.#firstBreak = { kind, sequence, expected, actual };
  }

  /** The result after the first event of the log. */
  async finish(): Promise<Verification> {
    const [head, first] = [this.#head, this.#next];
    if (first) this.#checkGap(0, first.sequence);
    if (first?.sequence === 1) await this.#recompute(first, ZERO);
    const end = head?.sequence ?? 0;
    const beyond = this.options.marks.find((mark) => mark.sequence > end);
    if (beyond) this.#fail('shortened', beyond.sequence, `event ${beyond.sequence}`, `the log ends at ${end}`);
    return {
      head: head && { sequence: head.sequence, hash: head.hash },
      read: this.#read,
      recomputed: this.#recomputed,
      matchedMarks: this.#matched,
      hidden: this.#hidden,
      firstBreak: this.#firstBreak,
    };
  }
}

const identity = (...parts: unknown[]) => parts.join(' ');

const identityOf = ({ id, sequence, type, resource, createdAt }: Link) => identity(id, sequence, type, resource, createdAt);

/** The event that a hash is of; '' for a text that is not an event. */
function hashedIdentity(canonical: string): string {
  try {
    const { id, sequence, type, resource, createdAt } = JSON.parse(canonical) as Record<string, unknown>;
    return identity(id, sequence, type, resource, createdAt);
  } catch {
    return '';
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
  hash: 'The hash does not follow from the event and the one before it.',
  other: 'The hash is of another event than the one that is shown.',
  changed: 'The event is not the one that this browser saw before.',
  shortened: 'The log is shorter than when this browser last saw it.',
};
