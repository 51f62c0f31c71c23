//! Collections: personal sets of books of a user (behaviour 9.10).
//!
//! A [`Collection`] has a name and belongs to one user. A book is in at most one collection of each
//! owner; adding it to another one moves it. The books of a collection are rows of their own.

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
    pub fn permission(&self, reader: UserId) -> Permission {
        if self.owner == reader { Permission::Owner } else { Permission::Viewer }
    }

    /// Returns whether the collection shows a book to a reader. `granted` is the reader's
    /// permission as a collaborator.
    ///
    /// Readers see all books they may read in their own collections, and only books that are shared
    /// with them in those of others. The id of a PUBLIC book gives access to it, so a collection
    /// must not reveal it.
    pub fn shows(&self, book: &Book, granted: Option<Permission>, reader: UserId) -> bool {
        match granted {
            Some(permission) => permission != Permission::None,
            None => self.owner == reader && book.settings.visibility == Visibility::Public,
        }
    }

    /// Returns the sort key for lists: the name, ignoring case.
    pub fn sort_key(&self) -> (String, CollectionId) {
        (self.name.as_str().to_lowercase(), self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create(name: Option<&str>) -> Result<Collection, name::Refusal> {
        Collection::create(CollectionId::new(1), UserId::new(1), name, crate::fixture::stamp())
    }

    fn collection() -> Collection {
        create(Some(" Clients ")).unwrap()
    }

    #[test]
    fn name_is_required_and_kept_when_absent() {
        assert_eq!(collection().name.as_str(), "Clients");
        assert!([None, Some(""), Some("  ")].into_iter().all(|name| create(name).is_err()));
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
        assert_eq!(Collection::check_size(1_000), Ok(()));
        assert_eq!(Collection::check_size(1_001), Err(Refusal::TooMany(1_001)));
    }

    #[test]
    fn collection_of_others_shows_shared_books_only() {
        let visibility = Some(Visibility::Public);
        let book = crate::fixture::book(crate::book::Changes { visibility, ..Default::default() });
        for (granted, reader, expected) in [
            (None, 1, true),
            (None, 2, false),
            (Some(Permission::Viewer), 2, true),
            (Some(Permission::None), 1, false),
        ] {
            let shown = collection().shows(&book, granted, UserId::new(reader));
            assert_eq!(shown, expected, "{granted:?} {reader}");
        }
    }

    #[test]
    fn only_the_owner_has_owner_permission() {
        assert_eq!(collection().permission(UserId::new(1)), Permission::Owner);
        assert_eq!(collection().permission(UserId::new(2)), Permission::Viewer);
    }
}
