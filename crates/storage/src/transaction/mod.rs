//! Transactions: rows and repository, with their entries and marks.

mod copy;
mod count;
mod holders;
mod ledger;
mod row;
mod save;
mod search;
mod text;

use std::collections::{BTreeSet, HashMap};

use daybook_domain::collaborator::Member;
use daybook_domain::id::{AccountId, FileId, TransactionId};
use daybook_domain::transaction::Transaction;
use diesel::prelude::*;

use crate::conn::on_each;
use crate::error::Result;
use crate::mark;
use crate::page::Place;
use crate::sql::{MOST_NAMED, Sql, Value};
use crate::tx::Tx;
use row::{COLUMNS, Row};

pub use copy::{Copying, Numbers};
pub use count::Counted;
pub(crate) use row::standing_from_column;
pub use save::Change;
pub(crate) use save::write_added;
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
        if self.tx.holds_remote_id(member.book().id, remote_ids) {
            // Written now, so that the statements below find it.
            self.tx.conn()?;
        }
        let mut found = Vec::new();
        for chunk in remote_ids.chunks(MOST_NAMED) {
            let marks = chunk.iter().map(|id| Value::Text(mark::remote_id(id).into()));
            // Joined in this order: from the few marks to their transactions. As a condition on transactions, PostgreSQL
            // tries every transaction of the book against every mark while it has no statistics.
            let from = Sql::new("SELECT ").push(COLUMNS).push(" FROM marks m JOIN transactions t ON t.book_id = m.book_id");
            let from = from.push(" AND t.id = m.transaction_id WHERE m.book_id = ").int(book).push(" AND m.mark IN ").list(marks);
            let sql = from.push(" AND t.trashed = ").flag(false).cached_up_to(chunk.len());
            let rows: Vec<Row> = on_each!(self.tx.aside(), c => (&sql).load(c))?;
            for row in rows {
                found.push(row.into_transaction(member.book().scale)?);
            }
        }
        found.sort_by_key(|transaction| transaction.id);
        found.dedup_by_key(|transaction| transaction.id);
        Ok(found)
    }

    /// The drafts that name any of these accounts, by id.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn drafts_of_accounts(self, member: &Member, accounts: &BTreeSet<AccountId>) -> Result<Vec<Transaction>> {
        let book = member.book().id.get();
        let named = accounts.iter().map(|id| Value::Int(id.get()));
        let from = Sql::new("SELECT ").push(COLUMNS).push(" FROM entries e JOIN transactions t ON t.book_id = e.book_id");
        let from = from.push(" AND t.id = e.transaction_id WHERE e.book_id = ").int(book).push(" AND e.account_id IN ").list(named);
        let mut drafts = self.rows(member, from)?;
        // One that names two of the accounts is found twice.
        drafts.sort_by_key(|draft| draft.id);
        drafts.dedup_by_key(|draft| draft.id);
        Ok(drafts)
    }

    /// The transactions that hold a file, trashed ones included, oldest first.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn holders_of(self, member: &Member, file: FileId) -> Result<Vec<Transaction>> {
        let book = member.book().id.get();
        let marked = Sql::new("SELECT m.transaction_id FROM marks m WHERE m.book_id = ").int(book);
        let marked = marked.push(" AND m.mark = ").text(mark::file(file));
        let mut found = self.load(member, Sql::new(" WHERE t.book_id = ").int(book).push(" AND t.id IN (").append(marked).push(")"))?;
        found.sort_by_key(|transaction| transaction.id);
        Ok(found)
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
        Ok(self.tx.conn()?.explain(sql)?)
    }

    fn load(self, member: &Member, condition: Sql<'_>) -> Result<Vec<Transaction>> {
        self.rows(member, Sql::new("SELECT ").push(COLUMNS).push(" FROM transactions t").append(condition))
    }

    fn rows(self, member: &Member, sql: Sql<'_>) -> Result<Vec<Transaction>> {
        let sql = sql.uncached();
        let rows: Vec<Row> = on_each!(self.tx.conn()?, c => (&sql).load(c))?;
        rows.into_iter().map(|row| row.into_transaction(member.book().scale)).collect()
    }
}
