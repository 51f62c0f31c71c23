/**
 * The rows of a list of transactions, loaded page by page. Appending a page costs only that page, so lists
 * of a million rows stay fast. One instance exists for each book and query, and is shared by all views.
 */
import type { Transaction } from '~/api/types';

export interface Page {
  readonly items: readonly Transaction[];
  readonly cursor: string | undefined;
  readonly warnings: readonly string[];
}

export type FetchPage = (cursor: string | undefined, limit: number) => Promise<Page>;

const PAGE = 200;
const MAX_PAGE = 1000;

export class TransactionRows {
  readonly rows: Transaction[] = [];
  warnings: readonly string[] = [];
  error: unknown;
  isLoading = false;
  /** Whether all pages are loaded. */
  isComplete = false;
  private cursor: string | undefined;
  private version = 0;
  private generation = 0;
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
    const { generation } = this;
    this.isLoading = true;
    this.notify();
    try {
      const page = await this.fetchPage(this.cursor, PAGE);
      if (generation !== this.generation) return;
      for (const row of page.items) this.rows.push(row);
      this.take(page);
    } catch (error) {
      if (generation === this.generation) this.error = error;
    } finally {
      if (generation === this.generation) {
        this.isLoading = false;
        this.notify();
      }
    }
  }

  /**
   * Reloads from the start: as many rows as are loaded, at most one page of the maximum size. Later rows are
   * dropped and load again when they are scrolled to. The old rows stay visible meanwhile.
   */
  async refresh(): Promise<void> {
    const generation = (this.generation += 1);
    this.isLoading = true;
    try {
      const page = await this.fetchPage(undefined, Math.min(Math.max(PAGE, this.rows.length), MAX_PAGE));
      if (generation !== this.generation) return;
      this.rows.length = 0;
      for (const row of page.items) this.rows.push(row);
      this.take(page);
    } catch (error) {
      if (generation === this.generation) this.error = error;
    } finally {
      if (generation === this.generation) {
        this.isLoading = false;
        this.notify();
      }
    }
  }

  /** Changes rows in place. Returns a function that restores them. */
  patch(ids: ReadonlySet<string>, change: (row: Transaction) => Transaction): () => void {
    const before = new Map<string, Transaction>();
    for (const [index, row] of this.rows.entries()) {
      if (!ids.has(row.id!)) continue;
      before.set(row.id!, row);
      this.rows[index] = change(row);
    }
    if (before.size > 0) this.notify();
    return () => {
      for (const [index, row] of this.rows.entries()) this.rows[index] = before.get(row.id!) ?? row;
      this.notify();
    };
  }

  private take(page: Page): void {
    this.cursor = page.cursor;
    this.isComplete = !page.cursor;
    this.warnings = page.warnings;
    this.error = undefined;
  }

  private notify(): void {
    this.version += 1;
    this.listeners.forEach((listener) => listener());
  }
}
