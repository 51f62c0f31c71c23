//! What is stored of books (behaviour 10.14): for how many bytes a row counts, and how the counts
//! in the states of books move with the rows.
//!
//! The state of a book is written with every change of it, so its counts cost no statement. They
//! are sums over rows, nothing else, and an audit finds them again ([`Tx::recounted`]). What the
//! books of an owner hold together is the sum of theirs, which is read once in a group of units of
//! work, and only where it is limited.

use std::collections::HashMap;

use daybook_domain::id::{BookId, UserId};
use daybook_domain::storage_quota::{Allowance, StorageUsage};
use daybook_domain::transaction::Transaction;
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use crate::column;
use crate::conn::on_engine;
use crate::error::{Error, Result};
use crate::event::EventRow;
use crate::sql::{MAX_NAMED, Sql, Value};
use crate::tx::Tx;

/// Bytes that a row counts for beside its texts, with what stands for it in indexes.
pub(crate) const OF_A_ROW: i64 = 100;
/// The same of a transaction, which also stands in the ledgers of two accounts.
const OF_A_TRANSACTION: i64 = 200;

/// A table whose rows count.
pub(crate) struct CountedTable {
    name: &'static str,
    /// What a row counts for beside its texts.
    row: &'static str,
    texts: &'static [&'static str],
}

pub(crate) const ACCOUNTS: CountedTable = table("accounts", &["name", "properties", "agent"]);
pub(crate) const GROUPS: CountedTable = table("account_groups", &["name", "properties", "agent"]);
pub(crate) const SAVED_QUERIES: CountedTable = table("saved_queries", &["title", "query", "agent"]);
pub(crate) const FILES: CountedTable = CountedTable {
    row: "100 + size",
    ..table("files", &["name", "content_type", "properties", "agent"])
};
const MEMBERSHIPS: CountedTable = table("memberships", &[]);
const EVENTS: CountedTable = CountedTable {
    row: "100 * CAST(COALESCE(count, 1) AS BIGINT)",
    ..table("events", &["data", "agent"])
};
pub(crate) const BOT_RESPONSES: CountedTable = table("bot_responses", &["message"]);
const TRANSACTIONS: CountedTable = CountedTable {
    row: "200",
    ..table("transactions", &["description", "properties", "urls", "remote_ids", "files", "agent"])
};

const fn table(name: &'static str, texts: &'static [&'static str]) -> CountedTable {
    CountedTable { name, row: "100", texts }
}

const OTHERS: [&CountedTable; 7] =
    [&ACCOUNTS, &GROUPS, &SAVED_QUERIES, &FILES, &MEMBERSHIPS, &EVENTS, &BOT_RESPONSES];

impl CountedTable {
    /// The statement that counts rows and bytes, up to its book.
    fn sums(&self, book: BookId) -> Sql<'static> {
        let mut row = self.row.to_owned();
        for text in self.texts {
            row.push_str(" + COALESCE(octet_length(");
            row.push_str(text);
            row.push_str("), 0)");
        }
        Sql::new("SELECT COUNT(*) AS counted, CAST(COALESCE(SUM(")
            .push(row)
            .push("), 0) AS BIGINT) AS bytes FROM ")
            .push(self.name)
            .push(" WHERE book_id = ")
            .int(book.get())
    }
}

#[derive(QueryableByName)]
struct SumsRow {
    #[diesel(sql_type = BigInt)]
    counted: i64,
    #[diesel(sql_type = BigInt)]
    bytes: i64,
}

/// Who owns an entered book, and what the operator allows them, if that was read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BookOwner {
    pub(crate) id: UserId,
    pub(crate) allowance: Option<Allowance>,
}

/// What a group knows of the owners of the books it has entered.
#[derive(Debug, Default)]
pub(crate) struct OwnersInGroup {
    /// The owners of entered books.
    pub(crate) of_books: HashMap<BookId, BookOwner>,
    /// What their books held together before the unit of work of now.
    pub(crate) held: HashMap<UserId, StorageUsage>,
    /// For how many bytes the answers of users count that are kept under keys.
    pub(crate) kept: HashMap<UserId, i64>,
    /// The users of the mailbox of a user, themselves among them.
    pub(crate) mailboxes: HashMap<UserId, Vec<UserId>>,
}

/// What some bytes are, as a change.
pub(crate) const fn bytes(bytes: i64) -> StorageUsage {
    StorageUsage { transactions: 0, bytes }
}

/// For how many bytes memberships count.
pub(crate) fn of_memberships(count: usize) -> i64 {
    OF_A_ROW.saturating_mul(i64::try_from(count).unwrap_or(i64::MAX))
}

/// For how much a transaction counts.
pub(crate) fn of_transaction(transaction: &Transaction) -> StorageUsage {
    let Transaction { description, properties, urls, remote_ids, files, stamp, .. } = transaction;
    let texts = [
        column::properties_to_text(properties),
        column::texts_to_text(urls),
        column::texts_to_text(remote_ids),
        column::files_to_text(files),
    ];
    let texts = texts.iter().flatten().chain(&stamp.agent).map(|text| length(text));
    let bytes = texts.fold(length(description), i64::saturating_add);
    StorageUsage { transactions: 1, bytes: bytes.saturating_add(OF_A_TRANSACTION) }
}

/// For how much events count.
pub(crate) fn of_events(rows: &[EventRow]) -> StorageUsage {
    let one = |EventRow { last, count, data }: &EventRow| {
        let agent = last.agent.as_deref().map_or(0, length);
        let data = i64::try_from(data.len()).unwrap_or(i64::MAX);
        let count = i64::try_from(count.unwrap_or(1)).unwrap_or(i64::MAX);
        OF_A_ROW.saturating_mul(count).saturating_add(data).saturating_add(agent)
    };
    bytes(rows.iter().map(one).fold(0, i64::saturating_add))
}

/// For how many bytes the response of an app counts.
pub(crate) fn of_response(message: &str) -> i64 {
    length(message).saturating_add(OF_A_ROW)
}

pub(crate) fn length(text: &str) -> i64 {
    i64::try_from(text.len()).unwrap_or(i64::MAX)
}

impl Tx<'_> {
    /// Notes that this unit of work stores more of an entered book, or less.
    pub(crate) fn note_stored(&mut self, book: BookId, change: StorageUsage) -> Result<()> {
        if change == StorageUsage::default() {
            return Ok(());
        }
        let state = self.queued_book_state(book)?;
        let stored = state.stored() + change;
        (state.stored_transactions, state.stored_bytes) = (stored.transactions, stored.bytes);
        let added = self.added.entry(book).or_default();
        *added = *added + change;
        Ok(())
    }

    /// Notes that so many bytes more are kept under keys of a user.
    pub(crate) fn note_kept(&mut self, user: UserId, bytes: i64) {
        let OwnersInGroup { kept, mailboxes, .. } = &mut self.group_cache.owners;
        for (one, kept) in kept {
            if mailboxes.get(one).is_some_and(|all| all.contains(&user)) {
                *kept = kept.saturating_add(bytes);
            }
        }
    }

    /// Notes who owns a book from now on. What owners hold is read anew.
    pub(crate) fn note_owner(&mut self, book: BookId, owner: UserId) {
        let owners = &mut self.group_cache.owners;
        owners.of_books.insert(book, BookOwner { id: owner, allowance: None });
        owners.held.clear();
    }

    /// For how many bytes the rows with these ids count. None of these tables is queued.
    pub(crate) fn counted_bytes(
        &mut self,
        table: &CountedTable,
        book: BookId,
        ids: &[i64],
    ) -> Result<i64> {
        let mut sum = 0_i64;
        for chunk in ids.chunks(MAX_NAMED) {
            let ids = chunk.iter().copied().map(Value::Int);
            let query = table.sums(book).push(" AND id IN ").list(ids).cached_up_to(chunk.len());
            let rows: Vec<SumsRow> = on_engine!(self.unflushed()?, c => (&query).load(c))?;
            sum = rows.iter().fold(sum, |sum, row| sum.saturating_add(row.bytes));
        }
        Ok(sum)
    }

    /// Deletes accounts, or groups, with their memberships.
    pub(crate) fn delete_of_chart(
        &mut self,
        table: &CountedTable,
        book: BookId,
        ids: &[i64],
    ) -> Result<()> {
        let gone = self.counted_bytes(table, book, ids)?;
        let member = if table.name == ACCOUNTS.name { "account_id" } else { "group_id" };
        let mut delete = |from: &'static str, column: &'static str| {
            let rows = Sql::new("DELETE FROM ").push(from).push(" WHERE ").push(column);
            let rows = rows.push(" IN ").list(ids.iter().copied().map(Value::Int));
            let rows = rows.push(" AND book_id = ").int(book.get()).uncached();
            Ok::<_, Error>(self.flushed()?.execute(&rows)?)
        };
        let left = delete(MEMBERSHIPS.name, member)?;
        delete(table.name, "id")?;
        let gone = gone.saturating_add(of_memberships(left));
        self.note_stored(book, bytes(gone.saturating_neg()))
    }

    /// The rows of a table of a book, and for how many bytes they count.
    fn sums(&mut self, table: &CountedTable, book: BookId) -> Result<StorageUsage> {
        let query = table.sums(book);
        let rows: Vec<SumsRow> = on_engine!(self.flushed()?, c => (&query).load(c))?;
        let sum = |row: SumsRow| StorageUsage { transactions: row.counted, bytes: row.bytes };
        Ok(rows.into_iter().map(sum).sum())
    }

    /// What is stored of a book, counted anew from all its rows.
    pub(crate) fn recounted(&mut self, book: BookId) -> Result<StorageUsage> {
        let mut all = self.sums(&TRANSACTIONS, book)?;
        for table in OTHERS {
            all = all + bytes(self.sums(table, book)?.bytes);
        }
        Ok(all)
    }

    /// For how many bytes the accounts, groups and memberships of an entered book count, if these
    /// are more than `most`. They are a part of what is stored of the book, so those of small
    /// books
    /// need not be counted.
    pub(crate) fn chart_above(&mut self, book: BookId, most: i64) -> Result<Option<i64>> {
        if self.book_state(book).is_some_and(|state| state.stored().bytes <= most) {
            return Ok(None);
        }
        let mut sum = 0_i64;
        for table in [&ACCOUNTS, &GROUPS, &MEMBERSHIPS] {
            sum = sum.saturating_add(self.sums(table, book)?.bytes);
        }
        Ok(Some(sum).filter(|sum| *sum > most))
    }

    /// Ends a unit of work that is kept: what it added is what owners hold.
    pub(crate) fn keep_added(&mut self) {
        let owners = &mut self.group_cache.owners;
        for (book, added) in self.added.drain() {
            let Some(owner) = owners.of_books.get(&book) else { continue };
            for (user, held) in &mut owners.held {
                if owners.mailboxes.get(user).is_some_and(|all| all.contains(&owner.id)) {
                    *held = *held + added;
                }
            }
        }
    }

    /// By how much the states of books of these owners that are queued differ from what the
    /// database
    /// has, without what this unit of work adds. No flush is under way when that is asked: the
    /// statement before it has waited.
    pub(crate) fn queued_stored(&self, owners: &[UserId]) -> StorageUsage {
        let owned = |book: &&BookId| {
            self.group_cache
                .owners
                .of_books
                .get(book)
                .is_some_and(|known| owners.contains(&known.id))
        };
        let queued = self.queued_books().into_iter();
        let unwritten = queued.filter(|book| owned(&book)).map(|book| {
            let written = self.group_cache.book_states.get(&book).map(|state| state.stored());
            let now = self.book_state(book).map(|state| state.stored());
            now.unwrap_or_default() - written.unwrap_or_default()
        });
        let unwritten: StorageUsage = unwritten.sum();
        let own = self.added.iter().filter(|(book, _)| owned(book)).map(|(_, added)| *added);
        unwritten - own.sum()
    }
}
