//! The numbers of books, by which all tables refer to them.
//!
//! A public id has one number forever, so the number is looked up once and cached. Every statement
//! about a book names its number, by which a distributed engine routes it.

use daybook_domain::id::BookId;
use diesel::prelude::*;

use crate::commit::tx::Tx;
use crate::error::Result;
use crate::schema::book_keys;

impl Tx<'_> {
    /// Returns the number of the book with a public id, deleted or not.
    ///
    /// A cached number may belong to a book that was removed.
    pub(crate) fn book_number(&mut self, public_id: &str) -> Result<Option<BookId>> {
        let cache = self.book_numbers();
        if let Some(number) = cache.get(public_id) {
            return Ok(Some(number));
        }
        let query = book_keys::table.find(public_id).select(book_keys::book_id);
        let found: Option<i64> = self.unflushed()?.first(query)?;
        let number = found.map(BookId::new);
        if let Some(number) = number {
            cache.insert(public_id, number);
        }
        Ok(number)
    }
}
