//! Collections: personal sets of books of a user (behaviour 9.10).

mod refusal;

pub use refusal::{MAX_BOOKS, Refusal};

use crate::book::{Book, Visibility};
use crate::id::{CollectionId, UserId};
use crate::instant::{Instant, Stamp};
use crate::name::{self, Name};
use crate::permission::Permission;

/// A set of books of a user. Its books are stored separately because there may be many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// Unique across all users.
    pub id: CollectionId,
    /// The owner, who alone lists and changes it.
    pub owner: UserId,
    /// The name; not unique.
    pub name: Name,
    /// The app that created it, and the times.
    pub stamp: Stamp,
}

impl Collection {
    /// Creates a collection of a user.
    ///
    /// # Errors
    /// The refusal of the name.
    pub fn create(
        id: CollectionId,
        owner: UserId,
        name: Option<&str>,
        stamp: Stamp,
    ) -> Result<Self, name::Refusal> {
        Ok(Self { id, owner, name: Name::new(name.unwrap_or_default())?, stamp })
    }

    /// Sets the name, the only field that an update changes.
    ///
    /// # Errors
    /// The refusal of the name.
    pub fn rename(self, name: Option<&str>, now: Instant) -> Result<Self, name::Refusal> {
        let name = name.map_or_else(|| Ok(self.name.clone()), Name::new)?;
        let stamp = if name == self.name { self.stamp } else { self.stamp.touch(now) };
        Ok(Self { name, stamp, ..self })
    }

    /// Checks the number of books.
    ///
    /// # Errors
    /// [`Refusal::TooMany`].
    pub const fn check_size(books: usize) -> Result<(), Refusal> {
        if books > MAX_BOOKS { Err(Refusal::TooMany(books)) } else { Ok(()) }
    }

    /// Returns the permission of a reader. Only the owner changes a collection, even if a shared
    /// book shows it.
    #[must_use]
    pub fn permission(&self, reader: UserId) -> Permission {
        if self.owner == reader { Permission::Owner } else { Permission::Viewer }
    }

    /// Returns whether the collection shows a book to a reader. `granted` is the reader's
    /// permission as a collaborator.
    ///
    /// Readers see all books they may read in their own collections, and only books that are shared
    /// with them in those of others. The id of a PUBLIC book gives access to it, so a collection
    /// must not reveal it.
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
    /// let (owner, other) = (UserId::new(1), UserId::new(2));
    /// let clients =
    ///     Collection::create(CollectionId::new(1), owner, Some("Clients"), stamp).unwrap();
    /// // `book` is PUBLIC, and neither user is a collaborator.
    /// assert!(clients.shows(&book, None, owner));
    /// assert!(!clients.shows(&book, None, other));
    /// assert!(clients.shows(&book, Some(Permission::Viewer), other));
    /// ```
    #[must_use]
    pub fn shows(&self, book: &Book, granted: Option<Permission>, reader: UserId) -> bool {
        match granted {
            Some(permission) => permission != Permission::None,
            None => self.owner == reader && book.settings.visibility == Visibility::Public,
        }
    }

    /// Returns the sort key for lists: the name, ignoring case.
    #[must_use]
    pub fn sort_key(&self) -> (String, CollectionId) {
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
    fn name_is_required_and_kept_when_absent() {
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
    fn number_of_books_is_limited() {
        for (books, expected) in
            [(0, Ok(())), (1_000, Ok(())), (1_001, Err(Refusal::TooMany(1_001)))]
        {
            assert_eq!(Collection::check_size(books), expected);
        }
    }

    #[test]
    fn only_the_owner_has_owner_permission() {
        assert_eq!(collection().permission(UserId::new(1)), Permission::Owner);
        assert_eq!(collection().permission(UserId::new(2)), Permission::Viewer);
    }
}
