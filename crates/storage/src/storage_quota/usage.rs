//! The storage usage of books (behaviour 10.14), which follows the changes of their rows.
//!
//! The state of a book is written with every change, so its usage costs no statement. It is a plain
//! sum over rows, which an audit recomputes ([`Tx::recompute_usage`]). The usage of an owner is the
//! sum over their books; a group of writes reads it once, and only if it is limited.

use daybook_domain::id::{BookId, UserId};
use daybook_domain::storage_quota::{ROW_BYTES, StorageUsage};

use crate::commit::tx::Tx;
use crate::conn::sql::Sql;
use crate::error::Result;
use crate::rows::book_state::BookStateRow;
use crate::storage_quota::owners::{BookOwner, OwnerCache};
use crate::storage_quota::size::{TRANSACTION_BYTES, of_bytes};

/// A table whose rows count towards the usage of their book.
pub(crate) struct CountedTable {
    pub(crate) name: &'static str,
    /// The bytes of a row in addition to its texts.
    row_bytes: i64,
    /// The rest of the expression of these bytes, as SQL.
    rest: &'static str,
    texts: &'static [&'static str],
}

pub(crate) const ACCOUNTS: CountedTable = table("accounts", &["name", "properties", "agent"]);
pub(crate) const GROUPS: CountedTable = table("account_groups", &["name", "properties", "agent"]);
pub(crate) const SAVED_QUERIES: CountedTable = table("saved_queries", &["title", "query", "agent"]);
const COMMENTS: CountedTable = table("comments", &["text", "agent"]);
const RECONCILIATIONS: CountedTable = table("reconciliations", &["agent"]);
const RECONCILED_ENTRIES: CountedTable = table("reconciled_entries", &[]);
pub(crate) const FILES: CountedTable = CountedTable {
    rest: " + size",
    ..table("files", &["name", "content_type", "properties", "agent"])
};
pub(crate) const IMPORTS: CountedTable = CountedTable {
    rest: " + blob_bytes",
    ..table("imports", &["name", "options", "summary", "decisions", "results", "agent"])
};
const MEMBERSHIPS: CountedTable = table("memberships", &[]);
const EVENTS: CountedTable = CountedTable {
    rest: " * CAST(COALESCE(count, 1) AS BIGINT)",
    ..table("events", &["data", "agent"])
};
pub(crate) const BOT_RESPONSES: CountedTable = table("bot_responses", &["message"]);
const TRANSACTIONS: CountedTable = CountedTable {
    row_bytes: TRANSACTION_BYTES,
    ..table("transactions", &["description", "properties", "urls", "remote_ids", "files", "agent"])
};

const fn table(name: &'static str, texts: &'static [&'static str]) -> CountedTable {
    CountedTable { name, row_bytes: ROW_BYTES, rest: "", texts }
}

const OTHERS: [&CountedTable; 11] = [
    &ACCOUNTS,
    &GROUPS,
    &SAVED_QUERIES,
    &COMMENTS,
    &RECONCILIATIONS,
    &RECONCILED_ENTRIES,
    &FILES,
    &IMPORTS,
    &MEMBERSHIPS,
    &EVENTS,
    &BOT_RESPONSES,
];

impl CountedTable {
    /// Returns the statement that sums rows and bytes of a book.
    fn sums(&self, book: BookId) -> Sql<'static> {
        let mut row = format!("{}{}", self.row_bytes, self.rest);
        for text in self.texts {
            row.push_str(" + COALESCE(octet_length(");
            row.push_str(text);
            row.push_str("), 0)");
        }
        Sql::new(
            "SELECT COUNT(*) AS counted, CAST(COALESCE(SUM({}), 0) AS BIGINT) AS bytes FROM {} \
             WHERE book_id = {}",
        )
        .bind((Sql::new(row), Sql::new(self.name), book))
    }
}

impl Tx<'_> {
    /// Adds a change to the usage of an entered book.
    pub(crate) fn add_usage(&mut self, book: BookId, change: StorageUsage) -> Result<()> {
        if change == StorageUsage::default() {
            return Ok(());
        }
        let state = self.book_state_mut(book)?;
        let stored = state.stored() + change;
        state.stored_transactions = stored.transactions;
        state.stored_bytes = stored.bytes;
        let added = self.added_usage.entry(book).or_default();
        *added = *added + change;
        Ok(())
    }

    /// Adds bytes to the cached size of a user's stored responses.
    pub(crate) fn add_stored_response(&mut self, user: UserId, bytes: i64) {
        let OwnerCache { stored_responses, mailboxes, .. } = &mut self.group_cache.owners;
        for (member, stored) in stored_responses {
            if mailboxes.get(member).is_some_and(|users| users.contains(&user)) {
                *stored = stored.saturating_add(bytes);
            }
        }
    }

    /// Records the owner of a new or transferred book. The usage of owners is read again.
    pub(crate) fn set_owner(&mut self, book: BookId, owner: UserId) {
        let owners = &mut self.group_cache.owners;
        owners.of_books.insert(book, BookOwner { id: owner, allowance: None });
        owners.usage.clear();
    }

    /// Returns the bytes of the rows with these ids. Rows of these tables are never queued.
    pub(crate) fn bytes_of_rows(
        &mut self,
        table: &CountedTable,
        book: BookId,
        ids: &[i64],
    ) -> Result<i64> {
        let mut sum = 0_i64;
        for query in table.sums(book).push(" AND id IN ").in_chunks(ids) {
            let rows: Vec<(i64, i64)> = self.unflushed()?.rows(&query)?;
            sum = rows.iter().fold(sum, |sum, (_, bytes)| sum.saturating_add(*bytes));
        }
        Ok(sum)
    }

    /// Adds the growth of the rows with these ids, which took `bytes_before`, to the usage.
    pub(crate) fn add_growth(
        &mut self,
        table: &CountedTable,
        book: BookId,
        ids: &[i64],
        bytes_before: i64,
    ) -> Result<()> {
        let bytes = self.bytes_of_rows(table, book, ids)?;
        self.add_usage(book, of_bytes(bytes.saturating_sub(bytes_before)))
    }

    /// Returns the number of rows of a table of a book, as transactions, and their bytes.
    fn sum_table(&mut self, table: &CountedTable, book: BookId) -> Result<StorageUsage> {
        let query = table.sums(book);
        let rows: Vec<(i64, i64)> = self.flushed()?.rows(&query)?;
        let sum = |(transactions, bytes)| StorageUsage { transactions, bytes };
        Ok(rows.into_iter().map(sum).sum())
    }

    /// Recomputes the usage of a book from all its rows.
    pub(crate) fn recompute_usage(&mut self, book: BookId) -> Result<StorageUsage> {
        let mut all = self.sum_table(&TRANSACTIONS, book)?;
        for table in OTHERS {
            all = all + of_bytes(self.sum_table(table, book)?.bytes);
        }
        Ok(all)
    }

    /// Returns the bytes of the accounts, groups and memberships of an entered book, if they exceed
    /// a limit.
    ///
    /// They are a part of the usage of the book, so for small books nothing is summed.
    pub(crate) fn chart_bytes_above(&mut self, book: BookId, limit: i64) -> Result<Option<i64>> {
        if self.book_state(book).is_some_and(|state| state.stored().bytes <= limit) {
            return Ok(None);
        }
        let mut sum = 0_i64;
        for table in [&ACCOUNTS, &GROUPS, &MEMBERSHIPS] {
            sum = sum.saturating_add(self.sum_table(table, book)?.bytes);
        }
        Ok(Some(sum).filter(|sum| *sum > limit))
    }

    /// Adds the usage of a unit of work that is kept to the cached usage of owners.
    pub(crate) fn keep_added_usage(&mut self) {
        let owners = &mut self.group_cache.owners;
        for (book, added) in self.added_usage.drain() {
            let Some(owner) = owners.of_books.get(&book) else { continue };
            for (user, usage) in &mut owners.usage {
                if owners.mailboxes.get(user).is_some_and(|users| users.contains(&owner.id)) {
                    *usage = *usage + added;
                }
            }
        }
    }

    /// Returns the queued usage of books of these owners that the database does not have yet,
    /// without the current unit of work.
    ///
    /// No flush may be under way. The statement before the call has waited for it.
    pub(crate) fn queued_usage(&self, owners: &[UserId]) -> StorageUsage {
        let is_owned = |book: &BookId| {
            let owner = self.group_cache.owners.of_books.get(book);
            owner.is_some_and(|owner| owners.contains(&owner.id))
        };
        let queued = self.queued_books().into_iter().filter(is_owned);
        let unwritten: StorageUsage = queued
            .map(|book| {
                let written = self.group_cache.book_states.get(&book).map(BookStateRow::stored);
                let current = self.book_state(book).map(BookStateRow::stored);
                current.unwrap_or_default() - written.unwrap_or_default()
            })
            .sum();
        let own: StorageUsage = self
            .added_usage
            .iter()
            .filter(|(book, _)| is_owned(book))
            .map(|(_, added)| *added)
            .sum();
        unwritten - own
    }
}
