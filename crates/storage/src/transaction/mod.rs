//! Transactions: rows and repository, with their index terms.

mod candidate_blocks;
mod chunk_jobs;
mod copy;
mod count;
mod ledger;
mod month_counts;
mod references;
mod row;
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
use diesel::prelude::*;

use crate::conn::{Conn, on_engine};
use crate::error::Result;
use crate::index_term;
use crate::page::{MAX_PAGE_TEXTS, PageKey, RowPart};
use crate::planner::Lookup;
use crate::schema::transactions;
use crate::sql::{MAX_NAMED, Sql, Value};
use crate::tx::Tx;
use row::{COLUMNS, Row};
use search::index_ranges::{self, RangeRow};

pub(crate) use chunk_jobs::ChunkJobs;
pub use copy::Portion;
pub use count::Counted;
pub(crate) use count::{count_plan, count_statements, counts_by_day, counts_by_month};
pub(crate) use ledger::running_sums;
pub(crate) use month_counts::CountDeltas;
pub(crate) use references::{counted_up_to, sides_of_accounts};
pub(crate) use row::{folded_to_column, standing_from_column, standing_to_column};
pub use save::Change;
pub(crate) use save::added_rows;
pub use search::{Names, PrecedentFilter, Search};
pub(crate) use trigram_index::catch_up;

#[derive(QueryableByName)]
#[diesel(table_name = transactions)]
struct CreatedRow {
    id: i64,
    created_at: i64,
}

/// Rows that are loaded at once where their order does not come with them.
const LOADED_AT_ONCE: usize = 100;

/// The transactions of a book.
pub struct Transactions<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Transactions<'_, '_> {
    /// The transactions with these ids, by id; none when their texts take more than so many bytes
    /// together.
    pub fn by_ids(
        self,
        access: &Access,
        ids: &[TransactionId],
        most: usize,
    ) -> Result<Option<HashMap<TransactionId, Transaction>>> {
        let book = access.book().id.get();
        let mut found = HashMap::with_capacity(ids.len());
        for chunk in ids.chunks(MAX_NAMED) {
            let sql = with_ids(self.tx.lookup(), book, chunk);
            let part = self.tx.transactions().part(access, &sql, most)?;
            if !part.is_whole {
                return Ok(None);
            }
            found.extend(part.rows.into_iter().map(|transaction| (transaction.id, transaction)));
        }
        Ok(Some(found))
    }

    /// When the transactions with these ids were created, by id.
    pub fn created(
        self,
        access: &Access,
        ids: &BTreeSet<TransactionId>,
    ) -> Result<HashMap<TransactionId, Instant>> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let wanted = Sql::new("SELECT id, created_at FROM transactions WHERE book_id = ")
            .int(access.book().id.get())
            .push(" AND id IN ")
            .list(ids.iter().map(|id| Value::Int(id.get())))
            .cached_up_to(ids.len());
        let rows: Vec<CreatedRow> = on_engine!(self.tx.flushed()?, c => (&wanted).load(c))?;
        let created = |row: CreatedRow| (TransactionId::new(row.id), Instant::new(row.created_at));
        Ok(rows.into_iter().map(created).collect())
    }

    /// The non-trashed transactions that carry any of these remote ids, oldest first (behaviour
    /// 3.7.1, 3.7.3); none when their texts take more than so many bytes together.
    pub fn by_remote_ids(
        self,
        access: &Access,
        remote_ids: &[&str],
        most: usize,
    ) -> Result<Option<Vec<Transaction>>> {
        if remote_ids.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let Book { id, scale, .. } = *access.book();
        let lookup = self.tx.lookup();
        let mut conn = self.tx.flushed_for_remote_ids(id, remote_ids)?;
        let mut found = BTreeMap::new();
        for chunk in remote_ids.chunks(MAX_NAMED) {
            let sql = with_remote_ids(lookup, id.get(), chunk);
            if !add_each(&mut conn, (&sql, scale), most, &mut found)? {
                return Ok(None);
            }
        }
        Ok(Some(found.into_values().collect()))
    }

    /// The drafts that name any of these accounts, by id; none when their texts take more than so
    /// many bytes together.
    pub fn drafts_of_accounts(
        self,
        access: &Access,
        accounts: &BTreeSet<AccountId>,
        most: usize,
    ) -> Result<Option<Vec<Transaction>>> {
        if accounts.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let drafts = of_accounts(self.tx.lookup(), access.book().id.get(), accounts);
        self.by_id(access, &drafts, most)
    }

    /// The transactions that hold a file, trashed ones included, oldest first; none when their
    /// texts take more than so many bytes together.
    pub fn holders_of(
        self,
        access: &Access,
        file: FileId,
        most: usize,
    ) -> Result<Option<Vec<Transaction>>> {
        let holding = holding(self.tx.lookup(), access.book().id.get(), file);
        self.by_id(access, &holding, most)
    }

    /// A page of a search, newest first: up to `limit` rows behind `after`, as far as their texts
    /// have room in a page.
    pub fn search(
        self,
        access: &Access,
        search: &Search<'_>,
        after: Option<PageKey>,
        limit: i64,
    ) -> Result<RowPart<Transaction>> {
        let book = access.book();
        let plan =
            search::PathSelector { tx: &mut *self.tx, book, search, wanted: Some(limit) }.plan()?;
        let Some(ranges) = plan.ranges_to_merge() else {
            return self.part(access, &plan.page(book, after, limit).uncached(), MAX_PAGE_TEXTS);
        };
        let first = index_ranges::share(ranges.len(), limit);
        let mut page = None;
        for share in [first, limit] {
            if page.is_none() {
                let rows = plan.rows(ranges, book, after, share).uncached();
                let rows: Vec<RangeRow> = on_engine!(self.tx.flushed()?, c => (&rows).load(c))?;
                page = index_ranges::page(&rows, share, limit);
            }
        }
        let keys = page.unwrap_or_default();
        let ids: Vec<TransactionId> = keys.iter().map(|key| TransactionId::new(key.id)).collect();
        self.in_order(access, &ids)
    }

    /// The transactions with these ids, in their order, as far as their texts have room in a page.
    fn in_order(self, access: &Access, ids: &[TransactionId]) -> Result<RowPart<Transaction>> {
        let (book, scale) = (access.book().id.get(), access.book().scale);
        let (mut page, mut texts) = (RowPart::from(Vec::with_capacity(ids.len())), 0_usize);
        for chunk in ids.chunks(LOADED_AT_ONCE) {
            if texts > MAX_PAGE_TEXTS {
                page.is_whole = false;
                break;
            }
            let sql = with_ids(self.tx.lookup(), book, chunk);
            let rows: Vec<Row> = on_engine!(self.tx.flushed()?, c => (&sql).load(c))?;
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

    /// All transactions that a statement finds, each once, by id; none when their texts take more
    /// than so many bytes together.
    fn by_id(
        self,
        access: &Access,
        sql: &Sql<'_>,
        most: usize,
    ) -> Result<Option<Vec<Transaction>>> {
        let mut found = BTreeMap::new();
        let scale = access.book().scale;
        let mut conn = self.tx.flushed()?;
        let is_whole = add_each(&mut conn, (sql, scale), most, &mut found)?;
        Ok(is_whole.then(|| found.into_values().collect()))
    }

    /// Loads transactions until their texts take more than `most` bytes.
    fn part(self, access: &Access, sql: &Sql<'_>, most: usize) -> Result<RowPart<Transaction>> {
        let scale = access.book().scale;
        self.tx.flushed()?.load_part(sql, most, |row| with_texts(row, scale))
    }
}

/// Adds the transactions that a statement finds, each once however often it is found; whether all
/// of them, which is not so when the texts of those that are there take more than `most` bytes.
fn add_each(
    conn: &mut Conn,
    (sql, scale): (&Sql<'_>, u32),
    most: usize,
    found: &mut BTreeMap<TransactionId, Transaction>,
) -> Result<bool> {
    let taken = found.values().map(Transaction::texts).fold(0, usize::saturating_add);
    let found = RefCell::new(found);
    let part = conn.load_part(sql, most.saturating_sub(taken), |row| {
        let (transaction, texts) = with_texts(row, scale)?;
        let known = found.borrow_mut().insert(transaction.id, transaction);
        Ok(((), known.map_or(texts, |_| 0)))
    })?;
    Ok(part.is_whole)
}

/// A transaction, and how many bytes its texts take.
fn with_texts(row: Row, scale: u32) -> Result<(Transaction, usize)> {
    let transaction = row.into_transaction(scale)?;
    let texts = transaction.texts();
    Ok((transaction, texts))
}

/// Rows as an audit reads them, each with its id: what cannot be read is no transaction. No more
/// come once their texts take so much as those of a page may.
pub(crate) fn rows_of(
    tx: &mut Tx<'_>,
    scale: u32,
    condition: Sql<'_>,
) -> Result<Vec<(i64, Option<Transaction>)>> {
    let sql = Sql::new("SELECT ").push(COLUMNS).push(" FROM transactions t").append(condition);
    let part = tx.flushed()?.load_part(&sql, MAX_PAGE_TEXTS, |row: Row| {
        let (id, transaction) = (row.id(), row.into_transaction(scale).ok());
        let texts = transaction.as_ref().map_or(0, Transaction::texts);
        Ok(((id, transaction), texts))
    })?;
    Ok(part.rows)
}

/// The transactions with these ids.
pub(crate) fn with_ids<'a>(lookup: Lookup, book: i64, ids: &[TransactionId]) -> Sql<'a> {
    let wanted = lookup.each_of(ids.iter().map(|id| Value::Int(id.get())));
    let of = Sql::new("t.book_id = ").int(book).push(" AND t.id = n.column1");
    let rows = wanted.look_up("transactions", "t", of).sql();
    Sql::new("SELECT ").push(COLUMNS).append(rows).cached_up_to(ids.len())
}

/// The transactions that name any of these accounts, once for each side that does.
pub(crate) fn of_accounts<'a>(
    lookup: Lookup,
    book: i64,
    accounts: &BTreeSet<AccountId>,
) -> Sql<'a> {
    let sides = Sql::new("(").append(sides_of_accounts(book, accounts)).push(") e");
    let of = Sql::new("t.book_id = ").int(book).push(" AND t.id = e.transaction_id");
    let rows = lookup.rows(sides, Sql::new("1 = 1")).look_up("transactions", "t", of).sql();
    Sql::new("SELECT ").push(COLUMNS).append(rows).cached_up_to(accounts.len())
}

/// The non-trashed transactions that carry any of these remote ids.
pub(crate) fn with_remote_ids<'a>(lookup: Lookup, book: i64, remote_ids: &[&str]) -> Sql<'a> {
    let wanted =
        lookup.each_of(remote_ids.iter().map(|id| Value::Text(index_term::remote_id(id).into())));
    let marked = wanted.look_up(
        "index_terms",
        "m",
        Sql::new("m.book_id = ").int(book).push(" AND m.term = n.column1"),
    );
    let rows = marked.look_up("transactions", "t", transaction_of_term(book)).sql();
    Sql::new("SELECT ")
        .push(COLUMNS)
        .append(rows)
        .push(" AND t.trashed = ")
        .flag(false)
        .cached_up_to(remote_ids.len())
}

/// The first statement of a page: see [`Transactions::search`].
pub(crate) fn first_statement<'a>(
    tx: &mut Tx<'_>,
    book: &Book,
    search: &Search<'a>,
    after: Option<PageKey>,
    limit: i64,
) -> Result<Sql<'a>> {
    let plan = search::PathSelector { tx, book, search, wanted: Some(limit) }.plan()?;
    Ok(match plan.ranges_to_merge() {
        None => plan.page(book, after, limit),
        Some(ranges) => plan.rows(ranges, book, after, index_ranges::share(ranges.len(), limit)),
    })
}

/// The transactions that hold a file, trashed ones included.
fn holding<'a>(lookup: Lookup, book: i64, file: FileId) -> Sql<'a> {
    let marked =
        Sql::new("m.book_id = ").int(book).push(" AND m.term = ").text(index_term::file(file));
    let rows = lookup
        .rows(Sql::new("index_terms m"), marked)
        .look_up("transactions", "t", transaction_of_term(book))
        .sql();
    Sql::new("SELECT ").push(COLUMNS).append(rows)
}

/// The key of the transaction `t` that the index term `m` leads to.
pub(crate) fn transaction_of_term<'a>(book: i64) -> Sql<'a> {
    Sql::new("t.book_id = ").int(book).push(" AND t.id = m.transaction_id AND t.day = m.day")
}
