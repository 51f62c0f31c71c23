//! The owners of books within a group of writes, and their storage allowances.

use std::collections::HashMap;

use daybook_domain::id::{BookId, UserId};
use daybook_domain::storage_quota::{Allowance, StorageUsage};

use crate::error::{Error, Result};

/// The owner of an entered book.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BookOwner {
    pub(crate) id: UserId,
    /// The allowance of the owner, if it was read.
    pub(crate) allowance: Option<Allowance>,
}

/// Data that a group of writes has read about the owners of its books.
#[derive(Debug, Default)]
pub(crate) struct OwnerCache {
    /// The owners of entered books.
    pub(crate) of_books: HashMap<BookId, BookOwner>,
    /// The usage of all books of a mailbox before the current unit of work.
    pub(crate) usage: HashMap<UserId, StorageUsage>,
    /// The bytes of the responses that a mailbox has stored under idempotency keys.
    pub(crate) stored_responses: HashMap<UserId, i64>,
    /// The users that share the mailbox of a user, including the user.
    pub(crate) mailboxes: HashMap<UserId, Vec<UserId>>,
}

/// Converts an allowance to the column of the user.
pub(super) fn allowance_to_column(allowance: &Allowance) -> Option<String> {
    let Allowance { transactions, bytes, book_transactions, book_bytes } = *allowance;
    let limits = [transactions, bytes, book_transactions, book_bytes];
    let is_limited = limits.iter().any(Option::is_some);
    let text = |limit: Option<i64>| limit.map(|number| number.to_string()).unwrap_or_default();
    is_limited.then(|| limits.map(text).join(","))
}

/// Parses an allowance from the column of the user.
pub(crate) fn allowance_from_column(column: Option<String>) -> Result<Allowance> {
    let Some(text) = column else { return Ok(Allowance::default()) };
    let limit = |text: &str| match text {
        "" => Ok(None),
        digits => digits.parse().map(Some).map_err(|_| Error::Corrupt("storage_allowance")),
    };
    let limits = text.split(',').map(limit).collect::<Result<Vec<Option<i64>>>>()?;
    match limits.as_slice() {
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
    fn allowance_column_round_trips() {
        let some = Allowance {
            transactions: Some(7),
            bytes: None,
            book_transactions: Some(0),
            book_bytes: Some(i64::MAX),
        };
        for allowed in [some, Allowance::default()] {
            assert_eq!(allowance_from_column(allowance_to_column(&allowed)).unwrap(), allowed);
        }
        assert_eq!(allowance_to_column(&Allowance::default()), None);
        for text in ["", "1,2,3", "1,2,3,4,5", "a,,,"] {
            assert!(allowance_from_column(Some(text.to_owned())).is_err(), "{text}");
        }
    }
}
