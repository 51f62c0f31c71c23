//! What a token is limited to (behaviour 11.9).

use std::collections::BTreeSet;

use super::{MAX_BOOKS, Refusal};
use crate::app::AppId;
use crate::id::BookKey;

/// The holder of a token.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum TokenHolder {
    /// The user.
    #[default]
    User,
    /// A client of this installation, which the user has granted access (behaviour 11.16).
    BuiltInClient,
    /// A client of somebody else, which the user has granted access (behaviour 11.16).
    Client,
    /// An app, which was sent the token with an event (behaviour 8.6).
    App(AppId),
}

/// What a token is limited to; the default is nothing. A limit only ever takes away: the permission
/// of the user in the book counts as well.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TokenScope {
    /// Whether it only reads.
    pub read_only: bool,
    /// The books it reaches; all of the user's when absent.
    pub books: Option<BTreeSet<BookKey>>,
    /// Its holder.
    pub holder: TokenHolder,
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
        self.read_only || self.books.is_some() || self.app().is_some()
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

    /// Refuses clients and apps to issue and revoke access tokens and API keys: what they issued
    /// would outlive the user's consent.
    ///
    /// # Errors
    /// [`Refusal::InsufficientScope`].
    pub const fn check_credentials(&self) -> Result<(), Refusal> {
        match self.holder {
            TokenHolder::User => Ok(()),
            TokenHolder::BuiltInClient | TokenHolder::Client | TokenHolder::App(_) => {
                let why = "an app holds it, and manages no tokens and API keys";
                Err(Refusal::InsufficientScope(why))
            }
        }
    }

    /// Refuses an app to do with the token of a delivery what outlives the token, or cannot be
    /// undone (behaviour 8.22).
    ///
    /// # Errors
    /// [`Refusal::InsufficientScope`].
    pub const fn check_lasting(&self) -> Result<(), Refusal> {
        match self.holder {
            TokenHolder::User | TokenHolder::BuiltInClient | TokenHolder::Client => Ok(()),
            TokenHolder::App(_) => {
                let why = "it was sent to an app with an event, and does nothing that outlives it";
                Err(Refusal::InsufficientScope(why))
            }
        }
    }

    /// Refuses a token that is limited to books to reach connections. An app reaches its own, with
    /// the token of whatever delivery (behaviour 9.5).
    ///
    /// # Errors
    /// [`Refusal::InsufficientScope`].
    pub const fn check_connections(&self) -> Result<(), Refusal> {
        match self.holder {
            TokenHolder::App(_) => Ok(()),
            TokenHolder::User | TokenHolder::BuiltInClient | TokenHolder::Client => {
                self.check_outside_books()
            }
        }
    }

    /// Whether connections to an app exist for it: to an app only its own do (behaviour 9.5).
    #[must_use]
    pub fn reaches_connections_to(&self, app: &AppId) -> bool {
        match &self.holder {
            TokenHolder::User | TokenHolder::BuiltInClient | TokenHolder::Client => true,
            TokenHolder::App(own) => own == app,
        }
    }

    /// Whether it shows the properties of connections, which are the secrets of apps (behaviour
    /// 9.5).
    #[must_use]
    pub const fn shows_secrets(&self) -> bool {
        match self.holder {
            TokenHolder::User | TokenHolder::BuiltInClient | TokenHolder::App(_) => true,
            TokenHolder::Client => false,
        }
    }

    /// Whether an administrator is one with it (behaviour 9.3).
    #[must_use]
    pub const fn is_of_user(&self) -> bool {
        match self.holder {
            TokenHolder::User | TokenHolder::BuiltInClient => true,
            TokenHolder::Client | TokenHolder::App(_) => false,
        }
    }

    /// The app that holds it, if an app does.
    #[must_use]
    pub const fn app(&self) -> Option<&AppId> {
        match &self.holder {
            TokenHolder::App(app) => Some(app),
            TokenHolder::User | TokenHolder::BuiltInClient | TokenHolder::Client => None,
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
        TokenScope { read_only, books, ..TokenScope::default() }
    }

    #[test]
    fn what_each_holder_may() {
        let (own, other) = (AppId::new("tax-bot").unwrap(), AppId::new("bank-bot").unwrap());
        let books = Some([key("a")].into());
        // Holder, then: credentials, what lasts, own connections, those of other apps, connections
        // with a token that is limited to books, their properties, being an administrator.
        for (holder, expected) in [
            (TokenHolder::User, [true, true, true, true, false, true, true]),
            (TokenHolder::BuiltInClient, [false, true, true, true, false, true, true]),
            (TokenHolder::Client, [false, true, true, true, false, false, false]),
            (TokenHolder::App(own.clone()), [false, false, true, false, true, true, false]),
        ] {
            let scope = TokenScope { holder: holder.clone(), ..TokenScope::default() };
            let limited = TokenScope { books: books.clone(), ..scope.clone() };
            let allowed = [
                scope.check_credentials().is_ok(),
                scope.check_lasting().is_ok(),
                scope.check_connections().is_ok() && scope.reaches_connections_to(&own),
                scope.reaches_connections_to(&other),
                limited.check_connections().is_ok(),
                scope.shows_secrets(),
                scope.is_of_user(),
            ];
            assert_eq!(allowed, expected, "{holder:?}");
            assert_eq!(scope.is_limited(), scope.app().is_some());
            assert_eq!(scope.app(), (holder == TokenHolder::App(own.clone())).then_some(&own));
        }
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
