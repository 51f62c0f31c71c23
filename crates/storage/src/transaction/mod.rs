//! Transactions: saving, searching, counting and copying them.
//!
//! A new transaction is queued in the write buffer, with its index terms, counts and totals
//! (`save.rs`). Index terms find transactions by exact values: hashtags, remote ids, properties,
//! files, comments, drafts and the trash. The trigram index (`trigram_index.rs`) narrows searches
//! for texts; a background job adds a chunk of 4,096 transactions at a time (`chunk_jobs.rs`), and
//! transactions after the last chunk are compared without it. `search/` turns a query into SQL.
//! Methods that may return many texts have a limit in bytes and return nothing if it is exceeded.

mod candidate_blocks;
mod change;
mod chunk_jobs;
mod copy;
mod count;
mod journal;
mod ledger;
mod references;
mod save;
mod search;
mod trigram_audit;
mod trigram_index;

#[cfg(test)]
pub(crate) mod fixture;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use daybook_domain::access::Access;
use daybook_domain::book::Book;
use daybook_domain::id::{AccountId, FileId, TransactionId};
use daybook_domain::instant::Instant;
use daybook_domain::transaction::Transaction;

use crate::commit::tx::Tx;
use crate::conn::Conn;
use crate::conn::planner::Lookup;
use crate::conn::sql::{MAX_NAMED, Sql, Value, by_position, list};
use crate::error::Result;
use crate::index_term;
use crate::page::{MAX_PAGE_TEXT_BYTES, PageKey, RowPart};
use crate::rows::transaction::{COLUMNS, TransactionRow};
use search::range_page::{self, RangeRow};
use search::{PathSelector, SearchPlan};

pub use change::Change;
pub(crate) use chunk_jobs::ChunkJobs;
pub use copy::Portion;
pub use count::Counted;
pub(crate) use count::{count_plan, count_statements, counts_by_day, counts_by_month};
pub use journal::Period;
pub(crate) use journal::{journal, ledger};
pub(crate) use ledger::running_sums;
pub(crate) use references::{counted_up_to, sides_of_accounts};
pub use search::{ResolvedNames, Search, SimilarTransactionFilter};
pub(crate) use trigram_index::catch_up;

/// Number of rows that a page loads by id at once.
const LOAD_CHUNK: usize = 100;
/// Rows of a page of a scan.
const SCAN_PAGE: i64 = 1_000;

/// The transactions of a book.
pub struct Transactions<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Transactions<'_, '_> {
    /// Loads the transactions with these ids, by id, unless their texts exceed `max_bytes`.
    pub fn by_ids(
        self,
        access: &Access,
        ids: &[TransactionId],
        max_bytes: usize,
    ) -> Result<Option<HashMap<TransactionId, Transaction>>> {
        let book = access.book().id.get();
        let mut found = HashMap::with_capacity(ids.len());
        for chunk in ids.chunks(MAX_NAMED) {
            let sql = with_ids(self.tx.lookup(), book, chunk);
            let part = self.tx.transactions().part(access, &sql, max_bytes)?;
            if !part.is_whole {
                return Ok(None);
            }
            found.extend(part.rows.into_iter().map(|transaction| (transaction.id, transaction)));
        }
        Ok(Some(found))
    }

    /// Loads the creation instants of transactions, by id.
    pub fn created(
        self,
        access: &Access,
        ids: &BTreeSet<TransactionId>,
    ) -> Result<HashMap<TransactionId, Instant>> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let query =
            Sql::new("SELECT id, created_at FROM transactions WHERE book_id = {} AND id IN {}")
                .bind((access.book().id, list(ids)))
                .cached_up_to(ids.len());
        let rows: Vec<(i64, i64)> = self.tx.flushed()?.rows(&query)?;
        let created = |(id, at)| (TransactionId::new(id), Instant::new(at));
        Ok(rows.into_iter().map(created).collect())
    }

    /// Loads the non-trashed transactions with any of these remote ids, oldest first (behaviour
    /// 3.7.1, 3.7.3), unless their texts exceed `max_bytes`.
    pub fn by_remote_ids(
        self,
        access: &Access,
        remote_ids: &[&str],
        max_bytes: usize,
    ) -> Result<Option<Vec<Transaction>>> {
        self.with_any_remote_id(access, remote_ids, max_bytes, Some(false))
    }

    /// Loads the transactions with any of these remote ids, trashed ones included, oldest first,
    /// unless their texts exceed `max_bytes`.
    pub fn by_remote_ids_even_trashed(
        self,
        access: &Access,
        remote_ids: &[&str],
        max_bytes: usize,
    ) -> Result<Option<Vec<Transaction>>> {
        self.with_any_remote_id(access, remote_ids, max_bytes, None)
    }

    fn with_any_remote_id(
        self,
        access: &Access,
        remote_ids: &[&str],
        max_bytes: usize,
        trashed: Option<bool>,
    ) -> Result<Option<Vec<Transaction>>> {
        if remote_ids.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let Book { id, scale, .. } = *access.book();
        let lookup = self.tx.lookup();
        let mut conn = self.tx.flushed_for_remote_ids(id, remote_ids)?;
        let mut found = BTreeMap::new();
        for chunk in remote_ids.chunks(MAX_NAMED) {
            let sql = with_remote_ids(lookup, id.get(), chunk, trashed);
            if !add_each(&mut conn, &sql, scale, max_bytes, &mut found)? {
                return Ok(None);
            }
        }
        Ok(Some(found.into_values().collect()))
    }

    /// Loads the drafts that refer to any of these accounts, by id, unless their texts exceed
    /// `max_bytes`.
    pub fn drafts_of_accounts(
        self,
        access: &Access,
        accounts: &BTreeSet<AccountId>,
        max_bytes: usize,
    ) -> Result<Option<Vec<Transaction>>> {
        if accounts.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let drafts = of_accounts(self.tx.lookup(), access.book().id.get(), accounts);
        self.by_id(access, &drafts, max_bytes)
    }

    /// Loads the transactions that refer to a file, including trashed ones, oldest first, unless
    /// their texts exceed `max_bytes`.
    pub fn referring_to(
        self,
        access: &Access,
        file: FileId,
        max_bytes: usize,
    ) -> Result<Option<Vec<Transaction>>> {
        let referring = referring_to(self.tx.lookup(), access.book().id.get(), file);
        self.by_id(access, &referring, max_bytes)
    }

    /// Loads a page of a search, newest first: up to `limit` rows after `after`, up to the text
    /// limit of a page.
    pub fn search(
        self,
        access: &Access,
        search: &Search<'_>,
        after: Option<PageKey>,
        limit: i64,
    ) -> Result<RowPart<Transaction>> {
        let book = access.book();
        let plan = PathSelector { tx: &mut *self.tx, book, search, limit: Some(limit) }.plan()?;
        let Some(ranges) = plan.ranges_to_merge() else {
            let page = plan.page(book, after, limit);
            let page = if search.is_common() { page } else { page.uncached() };
            if self.tx.single.is_some() {
                let convert = |row: TransactionRow| with_texts(row, book.scale);
                return self.tx.part_of_only_statement(page, MAX_PAGE_TEXT_BYTES, convert);
            }
            return self.part(access, &page, MAX_PAGE_TEXT_BYTES);
        };
        let first = range_page::share(ranges.len(), limit);
        let mut page = None;
        for share in [first, limit] {
            if page.is_none() {
                let rows = plan.rows(ranges, book, after, share).uncached();
                let rows: Vec<RangeRow> = self.tx.flushed()?.rows(&rows)?;
                page = range_page::page(&rows, share, limit);
            }
        }
        let keys = page.unwrap_or_default();
        let ids: Vec<TransactionId> = keys.iter().map(|key| TransactionId::new(key.id)).collect();
        self.load_in_order(access, &ids)
    }

    /// Loads a page of a search, oldest first, up to the text limit of a page. An empty page is the
    /// end.
    ///
    /// It reads the whole book by day, whatever the terms.
    pub fn scan(
        self,
        access: &Access,
        search: &Search<'_>,
        after: Option<PageKey>,
    ) -> Result<Vec<Transaction>> {
        let sql = scan(self.tx, access, search, after);
        Ok(self.part(access, &sql.uncached(), MAX_PAGE_TEXT_BYTES)?.rows)
    }

    /// Loads transactions in the order of these ids, up to the text limit of a page.
    fn load_in_order(self, access: &Access, ids: &[TransactionId]) -> Result<RowPart<Transaction>> {
        let (book, scale) = (access.book().id.get(), access.book().scale);
        let (mut page, mut texts) = (RowPart::from(Vec::with_capacity(ids.len())), 0_usize);
        for chunk in ids.chunks(LOAD_CHUNK) {
            if texts > MAX_PAGE_TEXT_BYTES {
                page.is_whole = false;
                break;
            }
            let sql = with_ids(self.tx.lookup(), book, chunk);
            let rows = self.tx.flushed()?.load(by_position::<TransactionRow>(&sql))?;
            let mut found = HashMap::with_capacity(chunk.len());
            for row in rows {
                let (transaction, more) = with_texts(row, scale)?;
                texts = texts.saturating_add(more);
                found.insert(transaction.id, transaction);
            }
            page.rows.extend(chunk.iter().filter_map(|id| found.remove(id)));
        }
        Ok(page)
    }

    /// Loads the distinct transactions of a statement, by id, unless their texts exceed
    /// `max_bytes`.
    fn by_id(
        self,
        access: &Access,
        sql: &Sql<'_>,
        max_bytes: usize,
    ) -> Result<Option<Vec<Transaction>>> {
        let mut found = BTreeMap::new();
        let scale = access.book().scale;
        let mut conn = self.tx.flushed()?;
        let is_whole = add_each(&mut conn, sql, scale, max_bytes, &mut found)?;
        Ok(is_whole.then(|| found.into_values().collect()))
    }

    /// Loads transactions until their texts exceed `max_bytes`.
    fn part(
        self,
        access: &Access,
        sql: &Sql<'_>,
        max_bytes: usize,
    ) -> Result<RowPart<Transaction>> {
        let scale = access.book().scale;
        let rows = by_position::<TransactionRow>(sql);
        self.tx.flushed()?.load_part(rows, max_bytes, |row| with_texts(row, scale))
    }
}

/// Adds the distinct transactions of a statement to `found`.
///
/// Returns false if it stopped because all texts together exceed `max_bytes`.
fn add_each(
    conn: &mut Conn,
    sql: &Sql<'_>,
    scale: u32,
    max_bytes: usize,
    found: &mut BTreeMap<TransactionId, Transaction>,
) -> Result<bool> {
    let bytes = found.values().map(Transaction::text_bytes).fold(0, usize::saturating_add);
    let found = RefCell::new(found);
    let rows = by_position::<TransactionRow>(sql);
    let part = conn.load_part(rows, max_bytes.saturating_sub(bytes), |row| {
        let (transaction, texts) = with_texts(row, scale)?;
        let known = found.borrow_mut().insert(transaction.id, transaction);
        Ok(((), known.map_or(texts, |_| 0)))
    })?;
    Ok(part.is_whole)
}

/// Converts a row; returns the transaction and the size of its texts.
fn with_texts(row: TransactionRow, scale: u32) -> Result<(Transaction, usize)> {
    let transaction = row.into_transaction(scale)?;
    let texts = transaction.text_bytes();
    Ok((transaction, texts))
}

/// Loads rows for an audit, each with its id, up to the text limit of a page.
///
/// An unreadable row has no transaction.
pub(crate) fn rows_of(
    tx: &mut Tx<'_>,
    scale: u32,
    condition: Sql<'_>,
) -> Result<Vec<(i64, Option<Transaction>)>> {
    let sql = Sql::new("SELECT {} FROM transactions t{}").bind((Sql::new(COLUMNS), condition));
    let rows = by_position::<TransactionRow>(&sql);
    let part = tx.flushed()?.load_part(rows, MAX_PAGE_TEXT_BYTES, |row: TransactionRow| {
        let (id, transaction) = (row.id(), row.into_transaction(scale).ok());
        let texts = transaction.as_ref().map_or(0, Transaction::text_bytes);
        Ok(((id, transaction), texts))
    })?;
    Ok(part.rows)
}

/// Selects the transactions with these ids.
pub(crate) fn with_ids<'a>(lookup: Lookup, book: i64, ids: &[TransactionId]) -> Sql<'a> {
    let each_id = lookup.each_of(ids.iter().map(|id| Value::Int(id.get())));
    let of = Sql::new("t.book_id = {} AND t.id = n.column1").bind(book);
    let rows = each_id.look_up("transactions", "t", of).sql();
    Sql::new("SELECT {}{}").bind((Sql::new(COLUMNS), rows)).cached_up_to(ids.len())
}

/// Selects the transactions that refer to any of these accounts, once for each side.
pub(crate) fn of_accounts<'a>(
    lookup: Lookup,
    book: i64,
    accounts: &BTreeSet<AccountId>,
) -> Sql<'a> {
    let sides = Sql::new("({}) e").bind(sides_of_accounts(book, accounts));
    let of = Sql::new("t.book_id = {} AND t.id = e.transaction_id").bind(book);
    let rows = lookup.rows(sides, Sql::new("1 = 1")).look_up("transactions", "t", of).sql();
    Sql::new("SELECT {}{}").bind((Sql::new(COLUMNS), rows)).cached_up_to(accounts.len())
}

/// Selects the transactions with any of these remote ids: those in the trash, the others, or all.
pub(crate) fn with_remote_ids<'a>(
    lookup: Lookup,
    book: i64,
    remote_ids: &[&str],
    trashed: Option<bool>,
) -> Sql<'a> {
    let each_id =
        lookup.each_of(remote_ids.iter().map(|id| Value::Text(index_term::remote_id(id).into())));
    let marked = each_id.look_up(
        "index_terms",
        "m",
        Sql::new("m.book_id = {} AND m.term = n.column1").bind(book),
    );
    let rows = marked.look_up("transactions", "t", transaction_of_term(book)).sql();
    let found = Sql::new("SELECT {}{}").bind((Sql::new(COLUMNS), rows));
    let found = match trashed {
        Some(trashed) => found.push(" AND t.trashed = {}").bind(trashed),
        None => found,
    };
    found.cached_up_to(remote_ids.len())
}

/// Selects a page of a search, oldest first.
pub(crate) fn scan<'a>(
    tx: &Tx<'_>,
    access: &Access,
    search: &Search<'a>,
    after: Option<PageKey>,
) -> Sql<'a> {
    SearchPlan::of_book(tx, search).oldest(access.book(), after, SCAN_PAGE)
}

/// Returns the first statement of [`Transactions::search`].
pub(crate) fn first_statement<'a>(
    tx: &mut Tx<'_>,
    book: &Book,
    search: &Search<'a>,
    after: Option<PageKey>,
    limit: i64,
) -> Result<Sql<'a>> {
    let plan = PathSelector { tx, book, search, limit: Some(limit) }.plan()?;
    Ok(match plan.ranges_to_merge() {
        None => plan.page(book, after, limit),
        Some(ranges) => plan.rows(ranges, book, after, range_page::share(ranges.len(), limit)),
    })
}

/// Selects the transactions that refer to a file, including trashed ones.
fn referring_to<'a>(lookup: Lookup, book: i64, file: FileId) -> Sql<'a> {
    let marked = Sql::new("m.book_id = {} AND m.term = {}").bind((book, index_term::file(file)));
    let rows = lookup
        .rows(Sql::new("index_terms m"), marked)
        .look_up("transactions", "t", transaction_of_term(book))
        .sql();
    Sql::new("SELECT {}{}").bind((Sql::new(COLUMNS), rows))
}

/// Returns the condition that joins a transaction `t` to its index term `m`.
pub(crate) fn transaction_of_term<'a>(book: i64) -> Sql<'a> {
    Sql::new("t.book_id = {} AND t.id = m.transaction_id AND t.day = m.day").bind(book)
}
