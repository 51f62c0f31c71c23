//! The numbers of books, by which all tables know them. A public id has one number for ever, so it
//! is looked up once and remembered, and every statement about a book names its number: a
//! distributed engine sees from the statement alone on which machine the book is.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use daybook_domain::id::BookId;
use diesel::prelude::*;

use crate::conn::on_engine;
use crate::error::Result;
use crate::schema::book_keys;
use crate::tx::Tx;

/// Numbers remembered at most, 10 MB of them; when there are more, all are forgotten.
const MAX_REMEMBERED: usize = 100_000;

/// The numbers of books by their public ids, as far as they are known. Whoever reads by one checks
/// the public id in the book's row, because SQLite gives the number of a book whose foundation was
/// undone to another.
#[derive(Debug, Default)]
pub(crate) struct BookNumberCache(Mutex<HashMap<String, BookId>>);

impl BookNumberCache {
    fn get(&self, public_id: &str) -> Option<BookId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(public_id).copied()
    }

    fn learn(&self, public_id: &str, number: BookId) {
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if remembered.len() >= MAX_REMEMBERED {
            remembered.clear();
        }
        remembered.insert(public_id.to_owned(), number);
    }

    /// Forgets the number of a book that was not found by it.
    pub(super) fn forget(&self, public_id: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(public_id);
    }
}

impl Tx<'_> {
    /// The number of the book with this public id, deleted or not. The book may be gone meanwhile.
    pub(crate) fn book_number(&mut self, public_id: &str) -> Result<Option<BookId>> {
        let cache = self.book_numbers();
        if let Some(number) = cache.get(public_id) {
            return Ok(Some(number));
        }
        let query = book_keys::table.find(public_id).select(book_keys::book_id);
        let found: Option<i64> =
            on_engine!(self.unflushed()?, c => query.get_result(c).optional())?;
        let number = found.map(BookId::new);
        if let Some(number) = number {
            cache.learn(public_id, number);
        }
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_remembered_until_they_are_wrong() {
        let cache = BookNumberCache::default();
        assert_eq!(cache.get("a"), None);
        cache.learn("a", BookId::new(7));
        assert_eq!(cache.get("a"), Some(BookId::new(7)));
        cache.forget("a");
        assert_eq!(cache.get("a"), None);
        for number in 0..=MAX_REMEMBERED {
            cache.learn(&number.to_string(), BookId::new(1));
        }
        assert!(cache.0.lock().unwrap().len() <= MAX_REMEMBERED);
    }
}
