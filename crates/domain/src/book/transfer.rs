//! Giving a book to another owner (behaviour 6.21).

use super::Book;
use crate::access_request::open_until;
use crate::email::Email;
use crate::event::Previous;
use crate::id::BookKey;
use crate::instant::Instant;

/// An offer of a book to somebody who has not asked for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferOffer {
    /// The book.
    pub book: BookKey,
    /// Its name.
    pub name: String,
    /// The owner, who offers it.
    pub from: Email,
    /// The address that it is made to.
    pub to: Email,
    /// When it was offered.
    pub created_at: Instant,
}

impl TransferOffer {
    /// The instant from which on it is expired: an offer is open as long as an access request.
    #[must_use]
    pub const fn end(&self) -> Instant {
        open_until(self.created_at)
    }
}

impl Book {
    /// The book with another owner, by username, and the name of the former one.
    #[must_use]
    pub fn transferred(self, owner_name: String, now: Instant) -> (Self, Previous) {
        let previous = Previous::from([("ownerName".to_owned(), self.owner_name)]);
        (Self { owner_name, stamp: self.stamp.touched(now), ..self }, previous)
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
    fn an_owner_follows_another() {
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
        let (after, previous) = before.clone().transferred("bob".to_owned(), Instant::new(7));
        assert_eq!(previous, Previous::from([("ownerName".to_owned(), "alice".to_owned())]));
        assert_eq!((after.owner_name.as_str(), after.stamp.version), ("bob", 2));
        assert_eq!((after.stamp.updated_at, after.settings), (Instant::new(7), before.settings));
    }
}
