//! What a token is limited to (behaviour 11.9).

use std::collections::BTreeSet;

use super::{MAX_BOOKS, Refusal};
use crate::id::BookKey;

/// What a token is limited to; the default is nothing. A limit only ever takes away: the permission
/// of the user in the book counts as well.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TokenScope {
    /// Whether it only reads.
    pub read_only: bool,
    /// The books it reaches; all of the user's when absent.
    pub books: Option<BTreeSet<BookKey>>,
    /// Whether an app holds it, to which a user has granted access (behaviour 11.16).
    pub of_app: bool,
}

impl TokenScope {
    /// Refuses a scope that no token may have.
    ///
    /// # Errors
    /// [`Refusal::NoBooks`] and [`Refusal::TooManyBooks`].
    pub fn check(&self) -> Result<(), Refusal> {
        match self.books.as_ref().map(BTreeSet::len) {
            Some(0) => Err(Refusal::NoBooks),
            Some(count) if count > MAX_BOOKS => Err(Refusal::TooManyBooks(count)),
            _ => Ok(()),
        }
    }

    /// Whether it is limited in any way.
    #[must_use]
    pub const fn is_limited(&self) -> bool {
        self.read_only || self.books.is_some()
    }

    /// Whether it reaches a book.
    #[must_use]
    pub fn reaches(&self, book: &BookKey) -> bool {
        self.books.as_ref().is_none_or(|books| books.contains(book))
    }

    /// Refuses a book that the token does not name.
    ///
    /// # Errors
    /// [`Refusal::InsufficientScope`].
    pub fn check_book(&self, book: &BookKey) -> Result<(), Refusal> {
        if self.reaches(book) {
            Ok(())
        } else {
            Err(Refusal::InsufficientScope("it does not reach this book"))
        }
    }

    /// Refuses what is not inside one of the books that the token names: what a user keeps across
    /// books, and new books.
    ///
    /// # Errors
    /// [`Refusal::InsufficientScope`].
    pub const fn check_outside_books(&self) -> Result<(), Refusal> {
        if self.books.is_none() {
            Ok(())
        } else {
            Err(Refusal::InsufficientScope("it reaches only the books it names"))
        }
    }

    /// Refuses an app to issue and revoke access tokens and API keys: what it issued would outlive
    /// the user's consent.
    ///
    /// # Errors
    /// [`Refusal::InsufficientScope`].
    pub const fn check_credentials(&self) -> Result<(), Refusal> {
        if self.of_app {
            Err(Refusal::InsufficientScope("an app holds it, and manages no tokens and API keys"))
        } else {
            Ok(())
        }
    }

    /// Refuses to write with a token that only reads.
    ///
    /// # Errors
    /// [`Refusal::InsufficientScope`].
    pub const fn check_write(&self) -> Result<(), Refusal> {
        if self.read_only { Err(Refusal::InsufficientScope("it only reads")) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> BookKey {
        BookKey::new(name.to_owned())
    }

    fn scope(read_only: bool, books: Option<&[&str]>) -> TokenScope {
        let books = books.map(|books| books.iter().map(|book| key(book)).collect());
        TokenScope { read_only, books, of_app: false }
    }

    #[test]
    fn what_each_scope_allows() {
        // Scope, the book it names, another book, outside of books, writing.
        for (scope, limits) in [
            (scope(false, None), [true, true, true, true]),
            (scope(true, None), [true, true, true, false]),
            (scope(false, Some(&["a"])), [true, false, false, true]),
            (scope(true, Some(&["a"])), [true, false, false, false]),
        ] {
            let allowed = [
                scope.check_book(&key("a")).is_ok(),
                scope.check_book(&key("b")).is_ok(),
                scope.check_outside_books().is_ok(),
                scope.check_write().is_ok(),
            ];
            assert_eq!(allowed, limits, "{scope:?}");
            assert_eq!(scope.is_limited(), limits != [true; 4]);
        }
    }

    #[test]
    fn how_many_books_it_may_name() {
        let many: Vec<String> = (0..=MAX_BOOKS).map(|n| n.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(scope(false, Some(&[])).check(), Err(Refusal::NoBooks));
        assert_eq!(scope(false, Some(&many[1..])).check(), Ok(()));
        assert_eq!(scope(false, Some(&many)).check(), Err(Refusal::TooManyBooks(MAX_BOOKS + 1)));
        assert_eq!(scope(true, None).check(), Ok(()));
    }
}
