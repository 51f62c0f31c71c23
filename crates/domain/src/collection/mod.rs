//! Collections: a user's own sets of books (behaviour 9.10).

mod refusal;

pub use refusal::{MAX_BOOKS, Refusal};

use crate::book::{Book, Visibility};
use crate::id::{CollectionId, UserId};
use crate::instant::{Instant, Stamp};
use crate::name::{self, Name};
use crate::permission::Permission;

/// A set of books of a user. Its books are stored apart, because there may be many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// Unique across all users.
    pub id: CollectionId,
    /// Its owner; only the owner lists and changes it.
    pub owner: UserId,
    /// The name; several may share one.
    pub name: Name,
    /// The app it was made with, and its times.
    pub stamp: Stamp,
}

impl Collection {
    /// A new collection of a user.
    ///
    /// # Errors
    /// A refused name.
    pub fn create(
        id: CollectionId,
        owner: UserId,
        name: Option<&str>,
        stamp: Stamp,
    ) -> Result<Self, name::Refusal> {
        Ok(Self { id, owner, name: Name::new(name.unwrap_or_default())?, stamp })
    }

    /// The collection with another name, the only thing an update changes.
    ///
    /// # Errors
    /// A refused name.
    pub fn rename(self, name: Option<&str>, now: Instant) -> Result<Self, name::Refusal> {
        let name = name.map_or_else(|| Ok(self.name.clone()), Name::new)?;
        let stamp = if name == self.name { self.stamp } else { self.stamp.touched(now) };
        Ok(Self { name, stamp, ..self })
    }

    /// Checks the number of books.
    ///
    /// # Errors
    /// [`Refusal::TooMany`].
    pub const fn check_size(books: usize) -> Result<(), Refusal> {
        if books > MAX_BOOKS { Err(Refusal::TooMany(books)) } else { Ok(()) }
    }

    /// What a reader may do with it: only the owner changes a collection, also where it is shown on
    /// a shared book.
    #[must_use]
    pub fn permission(&self, reader: UserId) -> Permission {
        if self.owner == reader { Permission::Owner } else { Permission::Viewer }
    }

    /// Whether the collection shows this book to a reader. `granted` is the permission that the
    /// reader has been given in the book, if any. In their own collection readers see all books
    /// they may read. In that of others they see only books shared with them: the id of a PUBLIC
    /// book opens it, so a collection must not reveal it.
    ///
    /// ```
    /// # use daybook_domain::collection::Collection;
    /// # use daybook_domain::id::{BookId, BookKey, CollectionId, UserId};
    /// # use daybook_domain::instant::{Instant, Stamp};
    /// # use daybook_domain::book::{Book, Changes, Settings, Visibility};
    /// # use daybook_domain::permission::Permission;
    /// # let stamp = Stamp::new(None, Instant::new(0));
    /// # let public = Some(Visibility::Public);
    /// # let name = Some("Book".into());
    /// # let changes = Changes { name, visibility: public, ..Changes::default() };
    /// # let settings = Settings::create(changes).unwrap();
    /// # let (id, key, owner_name) = (BookId::new(1), BookKey::new("k".into()), "o".into());
    /// # let file_secret = daybook_domain::file::FileSecret::default();
    /// # let (scale, made) = (2, stamp.clone());
    /// # let book = Book { id, key, owner_name, settings, scale, file_secret, stamp: made };
    /// let (mine, theirs) = (UserId::new(1), UserId::new(2));
    /// let shelf = Collection::create(CollectionId::new(1), mine, Some("Shelf"), stamp).unwrap();
    /// // `book` is PUBLIC, and neither collaborates in it.
    /// assert!(shelf.shows(&book, None, mine));
    /// assert!(!shelf.shows(&book, None, theirs));
    /// assert!(shelf.shows(&book, Some(Permission::Viewer), theirs));
    /// ```
    #[must_use]
    pub fn shows(&self, book: &Book, granted: Option<Permission>, reader: UserId) -> bool {
        match granted {
            Some(permission) => permission != Permission::None,
            None => self.owner == reader && book.settings.visibility == Visibility::Public,
        }
    }

    /// The sort key for lists: by name, ignoring case.
    #[must_use]
    pub fn place(&self) -> (String, CollectionId) {
        (self.name.as_str().to_lowercase(), self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collection() -> Collection {
        Collection::create(
            CollectionId::new(1),
            UserId::new(1),
            Some(" Clients "),
            Stamp::new(None, Instant::new(1)),
        )
        .unwrap()
    }

    #[test]
    fn names_are_required_and_kept_by_updates_that_give_none() {
        assert_eq!(collection().name.as_str(), "Clients");
        for name in [None, Some(""), Some("  ")] {
            assert!(
                Collection::create(
                    CollectionId::new(1),
                    UserId::new(1),
                    name,
                    Stamp::new(None, Instant::new(1))
                )
                .is_err()
            );
        }
        assert!(collection().rename(Some(" "), Instant::new(2)).is_err());
        for (name, expected, version) in
            [(None, "Clients", 1), (Some("Clients"), "Clients", 1), (Some("Own"), "Own", 2)]
        {
            let after = collection().rename(name, Instant::new(2)).unwrap();
            assert_eq!((after.name.as_str(), after.stamp.version), (expected, version), "{name:?}");
        }
    }

    #[test]
    fn a_collection_holds_a_thousand() {
        for (books, expected) in
            [(0, Ok(())), (1_000, Ok(())), (1_001, Err(Refusal::TooMany(1_001)))]
        {
            assert_eq!(Collection::check_size(books), expected);
        }
    }

    #[test]
    fn only_the_owner_owns() {
        assert_eq!(collection().permission(UserId::new(1)), Permission::Owner);
        assert_eq!(collection().permission(UserId::new(2)), Permission::Viewer);
    }
}
