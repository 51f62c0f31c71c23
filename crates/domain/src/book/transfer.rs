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
    #[must_use]
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
    use crate::book::{Changes, Settings};
    use crate::file::FileSecret;
    use crate::id::{BookId, BookKey};
    use crate::instant::Stamp;

    #[test]
    fn transfer_changes_the_owner() {
        let changes = Changes { name: Some("Home".to_owned()), ..Changes::default() };
        let before = Book {
            id: BookId::new(1),
            key: BookKey::new("k".to_owned()),
            owner_name: "alice".to_owned(),
            settings: Settings::create(changes).unwrap(),
            scale: 2,
            file_secret: FileSecret::default(),
            stamp: Stamp::new(None, Instant::new(0)),
        };
        let (after, previous) = before.clone().transfer_to("bob".to_owned(), Instant::new(7));
        assert_eq!(previous, Previous::from([("ownerName".to_owned(), "alice".to_owned())]));
        assert_eq!((after.owner_name.as_str(), after.stamp.version), ("bob", 2));
        assert_eq!((after.stamp.updated_at, after.settings), (Instant::new(7), before.settings));
    }
}
