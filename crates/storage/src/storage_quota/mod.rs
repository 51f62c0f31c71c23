//! Storage usage of books and owners, and allowances of users (behaviour 10.14).
//!
//! Every row of a book counts for a number of bytes ([`size`]), and transactions also count one by
//! one. The state of a book has its usage, which changes with its rows ([`usage`]). A quota applies
//! to a book and to all books of an owner; users that share a mailbox count as one owner
//! ([`owners`]).

pub(crate) mod owners;
pub(crate) mod size;
pub(crate) mod usage;

use std::collections::HashMap;

use daybook_domain::access::Access;
use daybook_domain::email::Email;
use daybook_domain::id::{BookId, BookKey, UserId};
use daybook_domain::storage_quota::{Allowance, StorageUsage};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use crate::commit::tx::Tx;
use crate::conn::sql::{Sql, numbers};
use crate::error::{Error, Result};
use crate::schema::users;
use owners::{BookOwner, allowance_from_column, allowance_to_column};

/// The usage of all books, from their states `s`.
const SUMS: &str = "CAST(COALESCE(SUM(s.stored_transactions), 0) AS BIGINT) AS transactions, \
     CAST(COALESCE(SUM(s.stored_bytes), 0) AS BIGINT) AS bytes";

#[derive(QueryableByName)]
struct UsageRow {
    #[diesel(sql_type = BigInt)]
    transactions: i64,
    #[diesel(sql_type = BigInt)]
    bytes: i64,
}

impl UsageRow {
    const fn usage(&self) -> StorageUsage {
        StorageUsage { transactions: self.transactions, bytes: self.bytes }
    }
}

/// A user with the usage of all their books.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserStorageUsage {
    /// The e-mail address.
    pub email: Email,
    /// The usage of their books.
    pub stored: StorageUsage,
    /// The allowance by the operator.
    pub allowance: Allowance,
}

#[derive(QueryableByName)]
struct UserUsageRow {
    #[diesel(sql_type = Text)]
    email: String,
    #[diesel(sql_type = Nullable<Text>)]
    storage_allowance: Option<String>,
    #[diesel(embed)]
    usage: UsageRow,
}

#[derive(QueryableByName)]
struct OwnerUsageRow {
    #[diesel(sql_type = BigInt)]
    owner_id: i64,
    #[diesel(embed)]
    usage: UsageRow,
}

/// A book with its usage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBook {
    /// The id.
    pub key: BookKey,
    /// The name.
    pub name: String,
    /// Whether it is deleted and not removed yet.
    pub deleted: bool,
    /// The usage.
    pub stored: StorageUsage,
}

#[derive(QueryableByName)]
struct StoredBookRow {
    #[diesel(sql_type = Text)]
    public_id: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Nullable<BigInt>)]
    deleted_at: Option<i64>,
    #[diesel(embed)]
    usage: UsageRow,
}

/// The storage usage of books and owners.
pub struct StorageUsages<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl StorageUsages<'_, '_> {
    /// Returns the usage of an entered book before this unit of work, and what this one adds.
    ///
    /// # Errors
    /// If the book was not entered in this unit of work.
    pub fn of_book(self, access: &Access) -> Result<(StorageUsage, StorageUsage)> {
        self.of_entered(access.book().id)
    }

    /// Does the same as [`Self::of_book`], by the number of the book.
    pub fn of_entered(self, book: BookId) -> Result<(StorageUsage, StorageUsage)> {
        let state = self.tx.book_state(book).ok_or(Error::Corrupt("book_state"))?;
        let added = self.tx.added_usage.get(&book).copied().unwrap_or_default();
        Ok((state.stored() - added, added))
    }

    /// Returns the owner of an entered book and their allowance.
    ///
    /// # Errors
    /// If the book was not entered in this unit of work.
    pub fn owner(self, access: &Access) -> Result<(UserId, Allowance)> {
        self.owner_of_entered(access.book().id)
    }

    /// Does the same as [`Self::owner`], by the number of the book.
    pub fn owner_of_entered(self, book: BookId) -> Result<(UserId, Allowance)> {
        let known = self.tx.group_cache.owners.of_books.get(&book).copied();
        let BookOwner { id, allowance } = known.ok_or(Error::Corrupt("owner_id"))?;
        if let Some(allowance) = allowance {
            return Ok((id, allowance));
        }
        let allowance = StorageUsages { tx: self.tx }.allowance(id)?;
        let owner = BookOwner { id, allowance: Some(allowance) };
        self.tx.group_cache.owners.of_books.insert(book, owner);
        Ok((id, allowance))
    }

    /// Returns the usage of all books of a user's mailbox before this unit of work.
    ///
    /// It includes deleted books that are not removed yet and unfinished copies. A group reads it
    /// once; uncommitted changes of other writers at that moment are not included.
    pub fn usage_of_owner(self, user: UserId) -> Result<StorageUsage> {
        if let Some(usage) = self.tx.group_cache.owners.usage.get(&user) {
            return Ok(*usage);
        }
        let owners = self.tx.mailbox_users(user)?;
        let query = Sql::new(
            "SELECT {} FROM books b JOIN book_state s ON s.book_id = b.id WHERE b.owner_id IN {}",
        )
        .bind((Sql::new(SUMS), numbers(owners.iter().copied().map(UserId::get))));
        let rows: Vec<UsageRow> = self.tx.unflushed()?.load(&query)?;
        let written = rows.first().map(UsageRow::usage).unwrap_or_default();
        let usage = written + self.tx.queued_usage(&owners);
        self.tx.group_cache.owners.usage.insert(user, usage);
        Ok(usage)
    }

    /// Returns the usage that this unit of work adds to the entered books of a user's mailbox.
    ///
    /// # Errors
    /// If the database fails.
    pub fn added_by(self, user: UserId) -> Result<StorageUsage> {
        let users = self.tx.mailbox_users(user)?;
        let owners = &self.tx.group_cache.owners.of_books;
        let owned = |book: &BookId| owners.get(book).is_some_and(|owner| users.contains(&owner.id));
        Ok(self
            .tx
            .added_usage
            .iter()
            .filter(|(book, _)| owned(book))
            .map(|(_, added)| *added)
            .sum())
    }

    /// Loads the allowance of a user.
    pub fn allowance(self, user: UserId) -> Result<Allowance> {
        let query = users::table.find(user.get()).select(users::storage_allowance);
        let found: Option<Option<String>> = self.tx.unflushed()?.first(query)?;
        allowance_from_column(found.flatten())
    }

    /// Saves the allowance of a user.
    pub fn set_allowance(self, user: UserId, allowance: &Allowance) -> Result<()> {
        let target = users::table.find(user.get());
        let set = users::storage_allowance.eq(allowance_to_column(allowance));
        self.tx.flushed()?.run(diesel::update(target).set(set))
    }

    /// Lists the owners of books with the usage of their books, the most bytes first.
    pub fn usage_by_owner(self) -> Result<Vec<UserStorageUsage>> {
        let query = Sql::new("SELECT u.email, u.storage_allowance, ").push(SUMS).push(
            " FROM users u JOIN books b ON b.owner_id = u.id JOIN book_state s ON s.book_id = b.id \
             GROUP BY u.email, u.storage_allowance ORDER BY bytes DESC, u.email",
        );
        let rows: Vec<UserUsageRow> = self.tx.flushed()?.load(&query)?;
        let convert = |row: UserUsageRow| {
            let UserUsageRow { email, storage_allowance, usage } = row;
            let allowance = allowance_from_column(storage_allowance)?;
            Ok(UserStorageUsage { email: Email::stored(email), stored: usage.usage(), allowance })
        };
        rows.into_iter().map(convert).collect()
    }

    /// Returns the usage of the books of these users, by owner. Owners without books are left out.
    pub fn of_owners(self, users: &[UserId]) -> Result<HashMap<UserId, StorageUsage>> {
        let query = Sql::new("SELECT b.owner_id, ").push(SUMS).push(
            " FROM books b JOIN book_state s ON s.book_id = b.id WHERE b.owner_id IN {} \
             GROUP BY b.owner_id",
        );
        let query = query.bind(numbers(users.iter().copied().map(UserId::get)));
        let rows: Vec<OwnerUsageRow> = self.tx.flushed()?.load(&query)?;
        Ok(rows.into_iter().map(|row| (UserId::new(row.owner_id), row.usage.usage())).collect())
    }

    /// Lists the books of a user with their usage, the most bytes first.
    pub fn books_of(self, user: UserId) -> Result<Vec<StoredBook>> {
        let query = Sql::new(
            "SELECT b.public_id, b.name, b.deleted_at, s.stored_transactions AS transactions, \
             s.stored_bytes AS bytes FROM books b JOIN book_state s ON s.book_id = b.id \
             WHERE b.owner_id = {} ORDER BY s.stored_bytes DESC, b.id",
        )
        .bind(user);
        let rows: Vec<StoredBookRow> = self.tx.flushed()?.load(&query)?;
        let book = |row: StoredBookRow| {
            let StoredBookRow { public_id, name, deleted_at, usage } = row;
            let (key, deleted) = (BookKey::new(public_id), deleted_at.is_some());
            StoredBook { key, name, deleted, stored: usage.usage() }
        };
        Ok(rows.into_iter().map(book).collect())
    }

    /// Recomputes the usage of a book from all its rows, for an audit.
    pub fn recount(self, access: &Access) -> Result<StorageUsage> {
        self.tx.recompute_usage(access.book().id)
    }
}
