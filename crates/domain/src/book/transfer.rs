//! Transfer of a book to another owner (behaviour 6.21).

use super::Book;
use crate::access_request::expires_at;
use crate::email::Email;
use crate::event::Previous;
use crate::id::BookKey;
use crate::instant::Instant;

/// An offer of the ownership of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferOffer {
    /// The book.
    pub book: BookKey,
    /// Its name.
    pub name: String,
    /// The owner, who offers it.
    pub from: Email,
    /// The address of the new owner.
    pub to: Email,
    /// The time of the offer.
    pub created_at: Instant,
}

impl TransferOffer {
    /// Returns the instant at which it expires. Offers last as long as access requests.
    pub const fn expires_at(&self) -> Instant {
        expires_at(self.created_at)
    }
}

impl Book {
    /// Sets the owner by username and returns the previous name for the event.
    #[must_use]
    pub fn transfer_to(self, owner_name: String, now: Instant) -> (Self, Previous) {
        let previous = Previous::from([("ownerName".to_owned(), self.owner_name)]);
        (Self { owner_name, stamp: self.stamp.touch(now), ..self }, previous)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{book, pairs};

    #[test]
    fn transfer_changes_the_owner() {
        let before = book(crate::book::Changes::default());
        let (after, previous) = before.clone().transfer_to("bob".to_owned(), Instant::new(7));
        assert_eq!(pairs(&previous), [("ownerName", "alice")]);
        assert_eq!((after.owner_name.as_str(), after.stamp.version), ("bob", 2));
        assert_eq!((after.stamp.updated_at, after.settings), (Instant::new(7), before.settings));
    }
}
