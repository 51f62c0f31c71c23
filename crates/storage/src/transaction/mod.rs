//! Transactions: rows and repository, with their entries and index terms.

mod candidate_blocks;
mod copy;
mod count;
mod holders;
mod ledger;
mod month_counts;
mod row;
mod save;
mod search;
mod trigram_index;

use std::collections::{BTreeSet, HashMap};

use daybook_domain::access::Access;
use daybook_domain::book::Book;
use daybook_domain::id::{AccountId, FileId, TransactionId};
use daybook_domain::transaction::Transaction;
use diesel::prelude::*;

use crate::conn::on_engine;
use crate::error::Result;
use crate::index_term;
use crate::page::{MAX_PAGE_TEXTS, PageKey, RowPart};
use crate::planner::Lookup;
use crate::sql::{MAX_NAMED, Sql, Value};
use crate::tx::Tx;
use row::{COLUMNS, Row};
use search::index_ranges::{self, RangeRow};

pub use copy::Portion;
pub use count::Counted;
pub(crate) use count::{counts_by_day, counts_by_month};
pub(crate) use ledger::running_sums;
pub(crate) use month_counts::CountDeltas;
pub(crate) use row::{folded_to_column, standing_from_column};
pub use save::Change;
pub(crate) use save::added_rows;
pub use search::{Like, Names, Search};
pub(crate) use trigram_index::catch_up;

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

    /// The non-trashed transactions that carry any of these remote ids, oldest first (behaviour
    /// 3.7.1, 3.7.3).
    pub fn by_remote_ids(self, access: &Access, remote_ids: &[&str]) -> Result<Vec<Transaction>> {
        let book = access.book().id;
        let lookup = self.tx.lookup();
        let mut conn = self.tx.flushed_for_remote_ids(book, remote_ids)?;
        let mut found = Vec::new();
        for chunk in remote_ids.chunks(MAX_NAMED) {
            let sql = with_remote_ids(lookup, book.get(), chunk);
            let rows: Vec<Row> = on_engine!(conn, c => (&sql).load(c))?;
            for row in rows {
                found.push(row.into_transaction(access.book().scale)?);
            }
        }
        found.sort_by_key(|transaction| transaction.id);
        found.dedup_by_key(|transaction| transaction.id);
        Ok(found)
    }

    /// The drafts that name any of these accounts, by id.
    pub fn drafts_of_accounts(
        self,
        access: &Access,
        accounts: &BTreeSet<AccountId>,
    ) -> Result<Vec<Transaction>> {
        if accounts.is_empty() {
            return Ok(Vec::new());
        }
        let book = access.book().id.get();
        let named = self.tx.lookup().each_of(accounts.iter().map(|id| Value::Int(id.get())));
        let entries = Sql::new("e.book_id = ").int(book).push(" AND e.account_id = n.column1");
        let of = Sql::new("t.book_id = ")
            .int(book)
            .push(" AND t.id = e.transaction_id AND t.day = e.day");
        let joined = named.look_up("entries", "e", entries).look_up("transactions", "t", of);
        let mut drafts = self.rows(
            access,
            Sql::new("SELECT ").push(COLUMNS).append(joined.sql()).cached_up_to(accounts.len()),
        )?;
        // One that names two of the accounts is found twice.
        drafts.sort_by_key(|draft| draft.id);
        drafts.dedup_by_key(|draft| draft.id);
        Ok(drafts)
    }

    /// The transactions that hold a file, trashed ones included, oldest first.
    pub fn holders_of(self, access: &Access, file: FileId) -> Result<Vec<Transaction>> {
        let holding = holding(self.tx.lookup(), access.book().id.get(), file);
        let mut found = self.rows(access, holding)?;
        found.sort_by_key(|transaction| transaction.id);
        Ok(found)
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
            texts = rows.iter().map(Row::texts).fold(texts, usize::saturating_add);
            let mut found: HashMap<i64, Row> =
                rows.into_iter().map(|row| (row.id(), row)).collect();
            let rows = chunk.iter().filter_map(|id| found.remove(&id.get()));
            let read = rows.map(|row| row.into_transaction(scale));
            page.rows.extend(read.collect::<Result<Vec<_>>>()?);
        }
        Ok(page)
    }

    fn rows(self, access: &Access, sql: Sql<'_>) -> Result<Vec<Transaction>> {
        self.part(access, &sql, usize::MAX).map(|part| part.rows)
    }

    /// Loads transactions until their texts take more than `most` bytes.
    fn part(self, access: &Access, sql: &Sql<'_>, most: usize) -> Result<RowPart<Transaction>> {
        let scale = access.book().scale;
        self.tx.flushed()?.load_part(sql, most, |row: Row| {
            let texts = row.texts();
            Ok((row.into_transaction(scale)?, texts))
        })
    }
}

/// Rows as an audit reads them, each with its id: what cannot be read is no transaction.
pub(crate) fn rows_of(
    tx: &mut Tx<'_>,
    scale: u32,
    condition: Sql<'_>,
) -> Result<Vec<(i64, Option<Transaction>)>> {
    let sql = Sql::new("SELECT ").push(COLUMNS).push(" FROM transactions t").append(condition);
    let rows: Vec<Row> = on_engine!(tx.flushed()?, c => (&sql).load(c))?;
    Ok(rows.into_iter().map(|row| (row.id(), row.into_transaction(scale).ok())).collect())
}

/// The transactions with these ids.
pub(crate) fn with_ids<'a>(lookup: Lookup, book: i64, ids: &[TransactionId]) -> Sql<'a> {
    let wanted = lookup.each_of(ids.iter().map(|id| Value::Int(id.get())));
    let of = Sql::new("t.book_id = ").int(book).push(" AND t.id = n.column1");
    let rows = wanted.look_up("transactions", "t", of).sql();
    Sql::new("SELECT ").push(COLUMNS).append(rows).cached_up_to(ids.len())
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

/// The statement of a count, or of a page the first one: see [`Transactions::search`].
pub(crate) fn first_statement<'a>(
    tx: &mut Tx<'_>,
    book: &Book,
    search: &Search<'a>,
    after: Option<PageKey>,
    limit: Option<i64>,
) -> Result<Sql<'a>> {
    let plan = search::PathSelector { tx, book, search, wanted: limit }.plan()?;
    Ok(match (limit, plan.ranges_to_merge()) {
        (None, _) => plan.count(book),
        (Some(limit), None) => plan.page(book, after, limit),
        (Some(limit), Some(ranges)) => {
            plan.rows(ranges, book, after, index_ranges::share(ranges.len(), limit))
        }
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
