//! The cache of book numbers.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use daybook_domain::id::BookId;

/// Maximum number of entries (10 MB). When it is reached, the cache is cleared.
const MAX_ENTRIES: usize = 100_000;

/// The numbers of books by their public ids.
///
/// A reader must check the public id in the row of the book, because SQLite reuses the number of a
/// book whose insert was rolled back.
#[derive(Debug, Default)]
pub(crate) struct BookNumberCache(Mutex<HashMap<String, BookId>>);

impl BookNumberCache {
    /// Returns the number of a book, if it is cached.
    pub(super) fn get(&self, public_id: &str) -> Option<BookId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(public_id).copied()
    }

    /// Caches the number of a book.
    pub(super) fn insert(&self, public_id: &str, number: BookId) {
        let mut numbers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if numbers.len() >= MAX_ENTRIES {
            numbers.clear();
        }
        numbers.insert(public_id.to_owned(), number);
    }

    /// Removes the number of a book that was not found by it.
    pub(super) fn remove(&self, public_id: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(public_id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_cached_until_they_are_removed() {
        let cache = BookNumberCache::default();
        assert_eq!(cache.get("a"), None);
        cache.insert("a", BookId::new(7));
        assert_eq!(cache.get("a"), Some(BookId::new(7)));
        cache.remove("a");
        assert_eq!(cache.get("a"), None);
        for number in 0..=MAX_ENTRIES {
            cache.insert(&number.to_string(), BookId::new(1));
        }
        assert!(cache.0.lock().unwrap().len() <= MAX_ENTRIES);
    }
}
