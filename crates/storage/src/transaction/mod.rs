//! Transactions: rows and repository, with their entries and marks.

mod row;
mod save;
pub(crate) mod search;

use std::collections::{BTreeSet, HashMap};

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

pub(crate) use row::standing_from_column;

pub use save::Change;
pub use search::{Names, Search};

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
            // Joined in this order: from the few marks to their transactions. As a condition on transactions, PostgreSQL
            // tries every transaction of the book against every mark while it has no statistics.
            let from = Sql::new("SELECT ").push(COLUMNS).push(" FROM marks m JOIN transactions t ON t.book_id = m.book_id");
            let from = from.push(" AND t.id = m.transaction_id WHERE m.book_id = ").int(book).push(" AND m.mark IN ").list(marks);
            found.extend(self.tx.transactions().rows(member, from.push(" AND t.trashed = ").flag(false))?);
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

    /// A page of a search, newest first: up to `limit` rows behind `after`.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn search(self, member: &Member, search: &Search<'_>, after: Option<Place>, limit: i64) -> Result<Vec<Transaction>> {
        let sql = search.page(member.book(), after, limit);
        self.rows(member, Sql::new("SELECT ").push(COLUMNS).append(sql))
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
