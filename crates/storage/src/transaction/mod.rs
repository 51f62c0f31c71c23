//! Transactions: rows and repository, with their entries and marks.

mod count;
mod ledger;
mod row;
mod save;
mod search;
mod text;

use std::collections::HashMap;

use daybook_domain::collaborator::Member;
use daybook_domain::id::{AccountId, TransactionId};
use daybook_domain::transaction::Transaction;
use diesel::prelude::*;

use crate::conn::on_each;
use crate::error::Result;
use crate::mark;
use crate::page::Place;
use crate::sql::{MOST_NAMED, Sql, Value};
use crate::tx::Tx;
use row::{COLUMNS, Row};

pub use count::Counted;
pub use save::Change;
pub use search::{Names, Search};
pub(crate) use text::catch_up;

/// The transactions of a book.
pub struct Transactions<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Transactions<'_, '_> {
    /// The transactions with these ids, by id.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn by_ids(self, member: &Member, ids: &[TransactionId]) -> Result<HashMap<TransactionId, Transaction>> {
        let list = ids.iter().map(|id| Value::Int(id.get()));
        let found = self.load(member, Sql::new(" WHERE t.book_id = ").int(member.book().id.get()).push(" AND t.id IN ").list(list))?;
        Ok(found.into_iter().map(|transaction| (transaction.id, transaction)).collect())
    }

    /// The non-trashed transactions that carry any of these remote ids, oldest first (behaviour 3.7.1, 3.7.3).
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn by_remote_ids(self, member: &Member, remote_ids: &[&str]) -> Result<Vec<Transaction>> {
        let book = member.book().id.get();
        let mut found = Vec::new();
        for chunk in remote_ids.chunks(MOST_NAMED) {
            let marks = chunk.iter().map(|id| Value::Text(mark::remote_id(id).into()));
            let marked = Sql::new("SELECT m.transaction_id FROM marks m WHERE m.book_id = ").int(book).push(" AND m.mark IN ").list(marks);
            let condition =
                Sql::new(" WHERE t.book_id = ").int(book).push(" AND t.id IN (").append(marked).push(") AND t.trashed = ").flag(false);
            found.extend(self.tx.transactions().load(member, condition)?);
        }
        found.sort_by_key(|transaction| transaction.id);
        found.dedup_by_key(|transaction| transaction.id);
        Ok(found)
    }

    /// The drafts that name an account, in no order.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn drafts_of_account(self, member: &Member, account: AccountId) -> Result<Vec<Transaction>> {
        let book = member.book().id.get();
        let sides =
            Sql::new("SELECT e.transaction_id FROM entries e WHERE e.book_id = ").int(book).push(" AND e.account_id = ").int(account.get());
        self.load(member, Sql::new(" WHERE t.book_id = ").int(book).push(" AND t.id IN (").append(sides).push(")"))
    }

    /// A page of a search, newest first: up to `limit` rows behind `after`.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn search(self, member: &Member, search: &Search<'_>, after: Option<Place>, limit: i64) -> Result<Vec<Transaction>> {
        let book = member.book();
        let walk = search::Planner { tx: &mut *self.tx, book, search, wanted: Some(limit) }.walk()?;
        self.rows(member, walk.page(book, after, limit))
    }

    /// What the database would do for [`Transactions::search`], or without a limit for [`Transactions::count`]: the very
    /// statement, so that tests can see which index it walks.
    ///
    /// # Errors
    /// When the database cannot be asked.
    #[doc(hidden)]
    pub fn explain(self, member: &Member, search: &Search<'_>, after: Option<Place>, limit: Option<i64>) -> Result<Vec<String>> {
        let book = member.book();
        let walk = search::Planner { tx: &mut *self.tx, book, search, wanted: limit }.walk()?;
        let sql = limit.map_or_else(|| walk.count(book), |limit| walk.page(book, after, limit));
        Ok(self.tx.conn.explain(sql)?)
    }

    fn load(self, member: &Member, condition: Sql<'_>) -> Result<Vec<Transaction>> {
        self.rows(member, Sql::new("SELECT ").push(COLUMNS).push(" FROM transactions t").append(condition))
    }

    fn rows(self, member: &Member, sql: Sql<'_>) -> Result<Vec<Transaction>> {
        let sql = sql.uncached();
        let rows: Vec<Row> = on_each!(self.tx.conn, c => (&sql).load(c))?;
        rows.into_iter().map(|row| row.into_transaction(member.book().scale)).collect()
    }
}
