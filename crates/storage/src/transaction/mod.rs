//! Transactions: rows and repository, with their entries and terms.

mod candidates;
mod copy;
mod count;
mod holders;
mod ledger;
mod row;
mod save;
mod search;
mod trigram_index;

use std::collections::{BTreeSet, HashMap};

use daybook_domain::access::Access;
use daybook_domain::id::{AccountId, FileId, TransactionId};
use daybook_domain::transaction::Transaction;
use diesel::prelude::*;

use crate::conn::on_each;
use crate::error::Result;
use crate::index_term;
use crate::lookup::Lookup;
use crate::page::PageKey;
use crate::sql::{MAX_NAMED, Sql, Value};
use crate::tx::Tx;
use row::{COLUMNS, Row};
use search::index_ranges::{self, Step};

pub use copy::{Copying, Numbers};
pub use count::Counted;
pub(crate) use row::standing_from_column;
pub use save::Change;
pub(crate) use save::write_added;
pub use search::{Names, Search};
pub(crate) use trigram_index::catch_up;

/// The transactions of a book.
pub struct Transactions<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Transactions<'_, '_> {
    /// The transactions with these ids, by id.
    pub fn by_ids(
        self,
        access: &Access,
        ids: &[TransactionId],
    ) -> Result<HashMap<TransactionId, Transaction>> {
        let book = access.book().id.get();
        let mut found = HashMap::with_capacity(ids.len());
        for chunk in ids.chunks(MAX_NAMED) {
            let sql = identified(self.tx.flushed_conn()?.lookup(), book, chunk);
            let rows = self.tx.transactions().rows(access, sql)?;
            found.extend(rows.into_iter().map(|transaction| (transaction.id, transaction)));
        }
        Ok(found)
    }

    /// The non-trashed transactions that carry any of these remote ids, oldest first (behaviour
    /// 3.7.1, 3.7.3).
    pub fn by_remote_ids(self, access: &Access, remote_ids: &[&str]) -> Result<Vec<Transaction>> {
        let book = access.book().id.get();
        if self.tx.holds_remote_id(access.book().id, remote_ids) {
            // Written now, so that the statements below find it.
            self.tx.flushed_conn()?;
        }
        let mut found = Vec::new();
        for chunk in remote_ids.chunks(MAX_NAMED) {
            let sql = carrying(self.tx.unflushed_conn().lookup(), book, chunk);
            let rows: Vec<Row> = on_each!(self.tx.unflushed_conn(), c => (&sql).load(c))?;
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
        let named = self
            .tx
            .flushed_conn()?
            .lookup()
            .each_of(accounts.iter().map(|id| Value::Int(id.get())));
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
        let holding = holding(self.tx.flushed_conn()?.lookup(), access.book().id.get(), file);
        let mut found = self.rows(access, holding)?;
        found.sort_by_key(|transaction| transaction.id);
        Ok(found)
    }

    /// A page of a search, newest first: up to `limit` rows behind `after`.
    pub fn search(
        self,
        access: &Access,
        search: &Search<'_>,
        after: Option<PageKey>,
        limit: i64,
    ) -> Result<Vec<Transaction>> {
        let book = access.book();
        let walk =
            search::Planner { tx: &mut *self.tx, book, search, wanted: Some(limit) }.walk()?;
        let Some(ranges) = walk.several() else {
            return self.rows(access, walk.page(book, after, limit).uncached());
        };
        let first = index_ranges::share(ranges.len(), limit);
        let mut page = None;
        for share in [first, limit] {
            if page.is_none() {
                let steps = walk.steps(ranges, book, after, share).uncached();
                let steps: Vec<Step> = on_each!(self.tx.flushed_conn()?, c => (&steps).load(c))?;
                page = index_ranges::page(&steps, share, limit);
            }
        }
        let places = page.unwrap_or_default();
        let ids: Vec<TransactionId> =
            places.iter().map(|place| TransactionId::new(place.id)).collect();
        let mut found = self.by_ids(access, &ids)?;
        Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
    }

    /// What the database would do for [`Transactions::search`], or without a limit for
    /// [`Transactions::count`]: the very statement, so that tests can see which index it walks.
    #[doc(hidden)]
    pub fn explain(
        self,
        access: &Access,
        search: &Search<'_>,
        after: Option<PageKey>,
        limit: Option<i64>,
    ) -> Result<Vec<String>> {
        let book = access.book();
        let walk = search::Planner { tx: &mut *self.tx, book, search, wanted: limit }.walk()?;
        let sql = match (limit, walk.several()) {
            (None, _) => walk.count(book),
            (Some(limit), None) => walk.page(book, after, limit),
            (Some(limit), Some(ranges)) => {
                walk.steps(ranges, book, after, index_ranges::share(ranges.len(), limit))
            }
        };
        Ok(self.tx.flushed_conn()?.explain(sql)?)
    }

    /// What the database would do for [`Transactions::by_ids`] and for
    /// [`Transactions::by_remote_ids`].
    #[doc(hidden)]
    pub fn explain_named(
        self,
        access: &Access,
        ids: &[TransactionId],
        remote_ids: &[&str],
    ) -> Result<[Vec<String>; 2]> {
        let (book, conn) = (access.book().id.get(), self.tx.flushed_conn()?);
        let lookup = conn.lookup();
        Ok([
            conn.explain(identified(lookup, book, ids))?,
            conn.explain(carrying(lookup, book, remote_ids))?,
        ])
    }

    fn rows(self, access: &Access, sql: Sql<'_>) -> Result<Vec<Transaction>> {
        let rows: Vec<Row> = on_each!(self.tx.flushed_conn()?, c => (&sql).load(c))?;
        rows.into_iter().map(|row| row.into_transaction(access.book().scale)).collect()
    }
}

/// The transactions with these ids.
fn identified<'a>(lookup: Lookup, book: i64, ids: &[TransactionId]) -> Sql<'a> {
    let wanted = lookup.each_of(ids.iter().map(|id| Value::Int(id.get())));
    let of = Sql::new("t.book_id = ").int(book).push(" AND t.id = n.column1");
    let rows = wanted.look_up("transactions", "t", of).sql();
    Sql::new("SELECT ").push(COLUMNS).append(rows).cached_up_to(ids.len())
}

/// The non-trashed transactions that carry any of these remote ids.
fn carrying<'a>(lookup: Lookup, book: i64, remote_ids: &[&str]) -> Sql<'a> {
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

/// The key of the transaction `t` that the term `m` is about.
pub(crate) fn transaction_of_term<'a>(book: i64) -> Sql<'a> {
    Sql::new("t.book_id = ").int(book).push(" AND t.id = m.transaction_id AND t.day = m.day")
}
