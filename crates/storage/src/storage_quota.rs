//! What is held by books and by their owners, for storage quotas (behaviour 10.14): repository.

use daybook_domain::access::Access;
use daybook_domain::email::Email;
use daybook_domain::id::{BookId, BookKey, UserId};
use daybook_domain::storage_quota::{Allowance, StorageUsage};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use crate::conn::on_engine;
use crate::error::{Error, Result};
use crate::schema::users;
use crate::sql::Sql;
use crate::stored::BookOwner;
use crate::tx::Tx;

/// Sums over the state `s` of books.
const SUMS: &str = "CAST(COALESCE(SUM(s.stored_transactions), 0) AS BIGINT) AS transactions, \
     CAST(COALESCE(SUM(s.stored_bytes), 0) AS BIGINT) AS bytes";

#[derive(QueryableByName)]
struct StoredRow {
    #[diesel(sql_type = BigInt)]
    transactions: i64,
    #[diesel(sql_type = BigInt)]
    bytes: i64,
}

impl StoredRow {
    const fn stored(&self) -> StorageUsage {
        StorageUsage { transactions: self.transactions, bytes: self.bytes }
    }
}

/// A user with what their books hold together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserStorageUsage {
    /// The address.
    pub email: Email,
    /// What their books hold.
    pub stored: StorageUsage,
    /// What the operator allows them.
    pub allowance: Allowance,
}

#[derive(QueryableByName)]
struct StoredOfUserRow {
    #[diesel(sql_type = Text)]
    email: String,
    #[diesel(sql_type = Nullable<Text>)]
    storage_allowance: Option<String>,
    #[diesel(embed)]
    held: StoredRow,
}

/// A book with what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBook {
    /// Its id.
    pub key: BookKey,
    /// Its name.
    pub name: String,
    /// Whether it is deleted, and not removed yet.
    pub deleted: bool,
    /// What it holds.
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
    held: StoredRow,
}

/// What books and their owners hold.
pub struct StorageQuotaBase<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl StorageQuotaBase<'_, '_> {
    /// What an entered book held before this unit of work, and what this one adds.
    ///
    /// # Errors
    /// When the book was not entered in this unit of work.
    pub fn of_book(self, access: &Access) -> Result<(StorageUsage, StorageUsage)> {
        self.of_entered(access.book().id)
    }

    /// As [`Self::of_book`].
    pub fn of_entered(self, book: BookId) -> Result<(StorageUsage, StorageUsage)> {
        let state = self.tx.book_state(book).ok_or(Error::Corrupt("book_state"))?;
        let added = self.tx.added.get(&book).copied().unwrap_or_default();
        Ok((state.stored() - added, added))
    }

    /// The owner of an entered book, and what the operator allows them.
    ///
    /// # Errors
    /// When the book was not entered in this unit of work.
    pub fn owner(self, access: &Access) -> Result<(UserId, Allowance)> {
        self.owner_of_entered(access.book().id)
    }

    /// As [`Self::owner`].
    pub fn owner_of_entered(self, book: BookId) -> Result<(UserId, Allowance)> {
        let known = self.tx.group_cache.owners.of_books.get(&book).copied();
        let BookOwner { id, allowance } = known.ok_or(Error::Corrupt("owner_id"))?;
        if let Some(allowance) = allowance {
            return Ok((id, allowance));
        }
        let allowance = StorageQuotaBase { tx: self.tx }.allowance(id)?;
        let owner = BookOwner { id, allowance: Some(allowance) };
        self.tx.group_cache.owners.of_books.insert(book, owner);
        Ok((id, allowance))
    }

    /// What the books of a user, and of the others of their mailbox, held together before this
    /// unit of work: those that are deleted and
    /// not removed yet, and unfinished copies, too. It is read once in a group. What other writers
    /// have not committed at that moment is not in it.
    pub fn held_by(self, user: UserId) -> Result<StorageUsage> {
        if let Some(held) = self.tx.group_cache.owners.held.get(&user) {
            return Ok(*held);
        }
        let owners = self.tx.mailbox_users(user)?;
        let query = Sql::new("SELECT ")
            .push(SUMS)
            .push(" FROM books b JOIN book_state s ON s.book_id = b.id WHERE b.owner_id IN ")
            .numbers(owners.iter().copied().map(UserId::get));
        let rows: Vec<StoredRow> = on_engine!(self.tx.unflushed()?, c => (&query).load(c))?;
        let written = rows.first().map(StoredRow::stored).unwrap_or_default();
        let held = written + self.tx.queued_stored(&owners);
        self.tx.group_cache.owners.held.insert(user, held);
        Ok(held)
    }

    /// What this unit of work adds to the books of a user, of those it has entered.
    ///
    /// # Errors
    /// When the database fails.
    pub fn added_by(self, user: UserId) -> Result<StorageUsage> {
        let all = self.tx.mailbox_users(user)?;
        let owners = &self.tx.group_cache.owners.of_books;
        let owned = |book: &BookId| owners.get(book).is_some_and(|known| all.contains(&known.id));
        Ok(self.tx.added.iter().filter(|(book, _)| owned(book)).map(|(_, added)| *added).sum())
    }

    /// What the operator allows a user.
    pub fn allowance(self, user: UserId) -> Result<Allowance> {
        let query = users::table.find(user.get()).select(users::storage_allowance);
        let found: Option<Option<String>> =
            on_engine!(self.tx.unflushed()?, c => query.get_result(c).optional())?;
        allowance(found.flatten())
    }

    /// Saves what the operator allows a user.
    pub fn allow(self, user: UserId, allowance: &Allowance) -> Result<()> {
        let target = users::table.find(user.get());
        let set = users::storage_allowance.eq(to_column(allowance));
        on_engine!(self.tx.flushed()?, c => diesel::update(target).set(set).execute(c))?;
        Ok(())
    }

    /// The users who own books, with what these hold together, the most bytes first.
    pub fn holdings(self) -> Result<Vec<UserStorageUsage>> {
        let query = Sql::new("SELECT u.email, u.storage_allowance, ").push(SUMS).push(
            " FROM users u JOIN books b ON b.owner_id = u.id JOIN book_state s ON s.book_id = b.id \
             GROUP BY u.email, u.storage_allowance ORDER BY bytes DESC, u.email",
        );
        let rows: Vec<StoredOfUserRow> = on_engine!(self.tx.flushed()?, c => (&query).load(c))?;
        let holding = |row: StoredOfUserRow| {
            let StoredOfUserRow { email, storage_allowance, held } = row;
            let allowance = allowance(storage_allowance)?;
            Ok(UserStorageUsage { email: Email::stored(email), stored: held.stored(), allowance })
        };
        rows.into_iter().map(holding).collect()
    }

    /// The books of a user with what each holds, the most bytes first.
    pub fn books_of(self, user: UserId) -> Result<Vec<StoredBook>> {
        let query = Sql::new(
            "SELECT b.public_id, b.name, b.deleted_at, s.stored_transactions AS transactions, \
               s.stored_bytes AS bytes \
             FROM books b JOIN book_state s ON s.book_id = b.id WHERE b.owner_id = ",
        );
        let query = query.int(user.get()).push(" ORDER BY s.stored_bytes DESC, b.id");
        let rows: Vec<StoredBookRow> = on_engine!(self.tx.flushed()?, c => (&query).load(c))?;
        let book = |row: StoredBookRow| {
            let StoredBookRow { public_id, name, deleted_at, held } = row;
            let (key, deleted) = (BookKey::new(public_id), deleted_at.is_some());
            StoredBook { key, name, deleted, stored: held.stored() }
        };
        Ok(rows.into_iter().map(book).collect())
    }

    /// What is stored of a book, counted anew from all its rows: for an audit.
    pub fn recount(self, access: &Access) -> Result<StorageUsage> {
        self.tx.recounted(access.book().id)
    }
}

fn to_column(allowance: &Allowance) -> Option<String> {
    let Allowance { transactions, bytes, book_transactions, book_bytes } = *allowance;
    let figures = [transactions, bytes, book_transactions, book_bytes];
    let any = figures.iter().any(Option::is_some);
    let text = |figure: Option<i64>| figure.map(|number| number.to_string()).unwrap_or_default();
    any.then(|| figures.map(text).join(","))
}

/// An allowance as the column of the user has it.
pub(crate) fn allowance(column: Option<String>) -> Result<Allowance> {
    let Some(text) = column else { return Ok(Allowance::default()) };
    let figure = |text: &str| match text {
        "" => Ok(None),
        digits => digits.parse().map(Some).map_err(|_| Error::Corrupt("storage_allowance")),
    };
    let figures = text.split(',').map(figure).collect::<Result<Vec<Option<i64>>>>()?;
    match figures.as_slice() {
        [transactions, bytes, book_transactions, book_bytes] => Ok(Allowance {
            transactions: *transactions,
            bytes: *bytes,
            book_transactions: *book_transactions,
            book_bytes: *book_bytes,
        }),
        _ => Err(Error::Corrupt("storage_allowance")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_is_kept() {
        let some = Allowance {
            transactions: Some(7),
            bytes: None,
            book_transactions: Some(0),
            book_bytes: Some(i64::MAX),
        };
        for allowed in [some, Allowance::default()] {
            assert_eq!(allowance(to_column(&allowed)).unwrap(), allowed);
        }
        assert_eq!(to_column(&Allowance::default()), None);
        for text in ["", "1,2,3", "1,2,3,4,5", "a,,,"] {
            assert!(allowance(Some(text.to_owned())).is_err(), "{text}");
        }
    }
}
