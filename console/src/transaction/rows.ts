/**
 * The rows of a list of transactions, loaded page by page. Appending a page costs only that page, so lists
 * of a million rows stay fast. One instance exists for each book and query, and is shared by all views.
 */
import type { Account, Transaction } from '~/api/types';
import { placeOf } from '~/ui/listCursor';
import { entryIdOf, type RowChange } from './lines';

export interface Page {
  readonly items: readonly Transaction[];
  readonly cursor: string | undefined;
  readonly warnings: readonly string[];
}

export type FetchPage = (cursor: string | undefined, limit: number) => Promise<Page>;

/** The first page is small, so that it is shown soon. */
const FIRST_PAGE = 200;
const MAX_PAGE = 1000;

/** Places of rows that are remembered. */
const MAX_PLACES = 20_000;

/** What most rows have. */
const NONE = Object.freeze([]);
const EMPTY = { properties: Object.freeze({}), tags: NONE, urls: NONE, remoteIds: NONE, files: NONE };

/** A range of rows that one request has loaded. It ends where the next one begins. */
interface Segment {
  start: number;
  /** Loads the range again; undefined begins the list. */
  readonly cursor: string | undefined;
  isStale: boolean;
}

/** Whether one row can replace the other without a change of the lines: most changes leave the order alone. */
function isSamePlace(row: Transaction, old: Transaction | undefined): boolean {
  return row.id === old?.id && row.date === old?.date && entryIdOf(row) === entryIdOf(old);
}

export class TransactionRows {
  readonly rows: Transaction[] = [];
  warnings: readonly string[] = [];
  error: unknown;
  isLoading = false;
  /** Whether all pages are loaded. */
  isComplete = false;
  /** All changes of the order of the rows so far, except for appended pages. */
  readonly changes: RowChange[] = [];
  private cursor: string | undefined;
  private version = 0;
  private generation = 0;
  private segments: Segment[] = [];
  private visible: readonly [first: number, last: number] = [0, 0];
  private readonly accounts = new Map<string, Account>();
  /** Where rows were found last. */
  private readonly places = new Map<string, number>();
  private readonly listeners = new Set<() => void>();

  constructor(private readonly fetchPage: FetchPage) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getVersion = (): number => this.version;

  get isUsed(): boolean {
    return this.listeners.size > 0;
  }

  /** Loads the next page. Does nothing while one is being loaded, and after the last one. */
  async loadMore(): Promise<void> {
    if (this.isLoading || this.isComplete) return;
    await this.exclusively(async (isCurrent) => {
      const { cursor } = this;
      const page = await this.fetchPage(cursor, cursor ? MAX_PAGE : FIRST_PAGE);
      if (!isCurrent()) return;
      this.segments.push({ start: this.rows.length, cursor, isStale: false });
      for (const row of page.items) this.rows.push(this.intern(row));
      this.cursor = page.cursor;
      this.isComplete = !page.cursor;
      this.take(page);
    });
  }

  /**
   * Loads the rows again: all of a short list; of a long one the beginning and the visible rows at once, and
   * the others when they are scrolled to. The old rows stay in place meanwhile.
   */
  async refresh(): Promise<void> {
    for (const segment of this.segments) segment.isStale = true;
    await this.exclusively(async (isCurrent) => {
      if (this.rows.length <= MAX_PAGE) {
        const page = await this.fetchPage(undefined, Math.max(FIRST_PAGE, this.rows.length));
        if (!isCurrent()) return;
        this.changes.push({ start: 0, removed: this.rows.length, added: page.items.length });
        this.rows.length = 0;
        for (const row of page.items) this.rows.push(this.intern(row));
        this.segments = [{ start: 0, cursor: undefined, isStale: false }];
        this.cursor = page.cursor;
        this.isComplete = !page.cursor;
        this.take(page);
        return;
      }
      await this.reload(0, isCurrent);
      await this.reloadVisible(isCurrent);
    });
  }

  /** Says which rows are on the screen; rows that became stale are loaded again. */
  setVisible(first: number, last: number): void {
    this.visible = [first, last];
    if (this.isLoading || !this.staleVisible()) return;
    void this.exclusively((isCurrent) => this.reloadVisible(isCurrent));
  }

  private staleVisible(): number | undefined {
    const [first, last] = this.visible;
    const found = this.segments.findIndex((segment, index) => segment.isStale && segment.start <= last && this.endOf(index) > first);
    return found < 0 ? undefined : found;
  }

  private endOf(index: number): number {
    return this.segments[index + 1]?.start ?? this.rows.length;
  }

  private async reloadVisible(isCurrent: () => boolean): Promise<void> {
    for (let index = this.staleVisible(); index !== undefined && isCurrent(); index = this.staleVisible()) {
      await this.reload(index, isCurrent);
    }
  }

  /** Loads one segment again and fits it between its neighbours. */
  private async reload(index: number, isCurrent: () => boolean): Promise<void> {
    const segment = this.segments[index]!;
    const end = this.endOf(index);
    const page = await this.fetchPage(segment.cursor, Math.min(MAX_PAGE, Math.max(1, end - segment.start)));
    if (!isCurrent()) return;
    const ids = new Set(page.items.map(({ id }) => id));
    const old = this.rows.slice(segment.start, end);
    const following = new Set(page.cursor ? this.rows.slice(end, end + page.items.length).map(({ id }) => id) : []);
    const last = old.findIndex(({ id }) => id === page.items.at(-1)?.id);
    // Rows went away: the page reaches into the next segment, which has these rows. Rows came in: the old rows
    // behind the page still follow it. Without a cursor the page ends the list.
    const items = page.items.filter(({ id }) => !following.has(id)).map((row) => this.intern(row));
    const behind = page.cursor && last >= 0 ? old.slice(last + 1).filter(({ id }) => !ids.has(id)) : [];
    const next = [...items, ...behind];
    const count = (page.cursor ? end : this.rows.length) - segment.start;
    if (count !== next.length || next.some((row, at) => !isSamePlace(row, old[at]))) {
      this.changes.push({ start: segment.start, removed: count, added: next.length });
    }
    this.rows.splice(segment.start, count, ...next);
    for (const later of this.segments.slice(index + 1)) later.start += next.length - old.length;
    segment.isStale = false;
    if (!page.cursor) {
      this.segments.length = index + 1;
      this.cursor = undefined;
      this.isComplete = true;
    }
    this.take(page);
  }

  /** Runs one load; a later one makes it lose its effect. */
  private async exclusively(load: (isCurrent: () => boolean) => Promise<void>): Promise<void> {
    const generation = (this.generation += 1);
    const isCurrent = () => generation === this.generation;
    this.isLoading = true;
    try {
      await load(isCurrent);
    } catch (error) {
      if (isCurrent()) this.error = error;
    } finally {
      if (isCurrent()) {
        this.isLoading = false;
        this.notify();
      }
    }
  }

  /** Rows share equal accounts and empty values: a list of a million rows would hold millions of them. */
  private intern(row: Transaction): Transaction {
    const share = (account: Account | null | undefined) => {
      if (!account?.id || account.balance) return account;
      const known = this.accounts.get(account.id);
      if (known?.name === account.name && known?.archived === account.archived) return known;
      this.accounts.set(account.id, account);
      return account;
    };
    row.creditAccount = share(row.creditAccount) ?? null;
    row.debitAccount = share(row.debitAccount) ?? null;
    const shared: Record<string, unknown> = row;
    for (const [key, value] of Object.entries(EMPTY)) {
      const own = shared[key];
      if (typeof own === 'object' && own !== null && Object.keys(own).length === 0) shared[key] = value;
    }
    return row;
  }

  /**
   * The indexes of rows by id, in no order. Rows on the screen, and those that were looked for before, are found
   * at once; only others need a search of the whole list.
   */
  locate(ids: Iterable<string>): number[] {
    const [first, last] = this.visible;
    const visible = new Map(this.rows.slice(first, last + 1).map(({ id }, offset) => [id!, first + offset]));
    const found = new Map<string, number>();
    const missing = new Set<string>();
    for (const id of ids) {
      const at = visible.get(id) ?? this.placeNear(id);
      if (at === undefined) missing.add(id);
      else found.set(id, at);
    }
    for (let at = 0; at < this.rows.length && missing.size > 0; at += 1) {
      const id = this.rows[at]!.id!;
      if (missing.delete(id)) found.set(id, at);
    }
    if (this.places.size + found.size > MAX_PLACES) this.places.clear();
    if (found.size <= MAX_PLACES) found.forEach((at, id) => this.places.set(id, at));
    return [...found.values()];
  }

  private placeNear(id: string): number | undefined {
    const known = this.places.get(id);
    if (known === undefined) return undefined;
    const at = placeOf(id, known, this.rows.length, (index) => this.rows[index]!.id!);
    return this.rows[at]?.id === id ? at : undefined;
  }

  /** Changes rows in place. Returns a function that restores them. */
  patch(ids: Iterable<string>, change: (row: Transaction) => Transaction): () => void {
    const before = new Map<string, Transaction>();
    for (const at of this.locate(ids)) {
      const row = this.rows[at]!;
      before.set(row.id!, row);
      this.put(at, change(row));
    }
    if (before.size > 0) this.notify();
    return () => {
      for (const at of this.locate(before.keys())) this.put(at, before.get(this.rows[at]!.id!)!);
      this.notify();
    };
  }

  private put(at: number, row: Transaction): void {
    if (!isSamePlace(row, this.rows[at])) this.changes.push({ start: at, removed: 1, added: 1 });
    this.rows[at] = row;
  }

  private take(page: Page): void {
    this.warnings = page.warnings;
    this.error = undefined;
  }

  private notify(): void {
    this.version += 1;
    this.listeners.forEach((listener) => listener());
  }
}
