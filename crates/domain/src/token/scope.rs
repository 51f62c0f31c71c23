//! Scopes of access tokens (behaviour 11.9).

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
    /// A web app that the operator lists, or the built-in client (behaviour 11.4, 11.16).
    TrustedApp,
    /// A third-party client with a grant of the user (behaviour 11.16).
    Client,
    /// An app that received the token with an event (behaviour 8.6).
    App(AppId),
}

/// The limits of a token. By default, it is unlimited.
///
/// A scope restricts the user's permission in a book and never extends it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TokenScope {
    /// Whether it may only read.
    pub read_only: bool,
    /// The books it may access; all of the user's books when absent.
    pub books: Option<BTreeSet<BookKey>>,
    /// The holder.
    pub holder: TokenHolder,
}

impl TokenScope {
    /// Checks the list of books.
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

    /// Returns whether it is limited in any way.
    pub const fn is_limited(&self) -> bool {
        self.read_only || self.books.is_some() || self.app().is_some()
    }

    /// Returns whether it may access a book.
    pub fn includes_book(&self, book: &BookKey) -> bool {
        self.books.as_ref().is_none_or(|books| books.contains(book))
    }

    /// Checks that it may access a book.
    ///
    /// # Errors
    /// [`Refusal::InsufficientScope`].
    pub fn check_book(&self, book: &BookKey) -> Result<(), Refusal> {
        if self.includes_book(book) {
            Ok(())
        } else {
            Err(Refusal::InsufficientScope("it does not include this book"))
        }
    }

    /// Checks that it may access the user's resources outside of books and create books.
    ///
    /// # Errors
    /// [`Refusal::InsufficientScope`].
    pub const fn check_outside_books(&self) -> Result<(), Refusal> {
        if self.books.is_none() {
            Ok(())
        } else {
            Err(Refusal::InsufficientScope("it includes only the books it names"))
        }
    }

    /// Checks that it may manage access tokens, API keys, sessions and consents.
    ///
    /// Clients and apps may not, because the credentials they create would outlive the user's
    /// consent, and they could end the user's other access.
    ///
    /// # Errors
    /// [`Refusal::InsufficientScope`].
    pub const fn check_credentials(&self) -> Result<(), Refusal> {
        match self.holder {
            TokenHolder::User => Ok(()),
            TokenHolder::TrustedApp | TokenHolder::Client | TokenHolder::App(_) => {
                let limit =
                    "an app holds it, and apps may not manage tokens, keys, sessions or consents";
                Err(Refusal::InsufficientScope(limit))
            }
        }
    }

    /// Checks that it may do what outlives the token or cannot be undone.
    ///
    /// An app with the token of a delivery may not (behaviour 8.22).
    ///
    /// # Errors
    /// [`Refusal::InsufficientScope`].
    pub const fn check_lasting(&self) -> Result<(), Refusal> {
        match self.holder {
            TokenHolder::User | TokenHolder::TrustedApp | TokenHolder::Client => Ok(()),
            TokenHolder::App(_) => {
                let limit = "it was sent to an app with an event, and may not make lasting changes";
                Err(Refusal::InsufficientScope(limit))
            }
        }
    }

    /// Checks that it may access connections.
    ///
    /// A token that is limited to books may not, unless it belongs to an app, which may access its
    /// own connections (behaviour 9.5).
    ///
    /// # Errors
    /// [`Refusal::InsufficientScope`].
    pub const fn check_connections(&self) -> Result<(), Refusal> {
        match self.holder {
            TokenHolder::App(_) => Ok(()),
            TokenHolder::User | TokenHolder::TrustedApp | TokenHolder::Client => {
                self.check_outside_books()
            }
        }
    }

    /// Returns whether it sees connections to `app`. An app sees only its own (behaviour 9.5).
    pub fn sees_connections_to(&self, app: &AppId) -> bool {
        match &self.holder {
            TokenHolder::User | TokenHolder::TrustedApp | TokenHolder::Client => true,
            TokenHolder::App(own) => own == app,
        }
    }

    /// Returns whether it reads the properties of connections, which contain secrets of apps
    /// (behaviour 9.5).
    pub const fn shows_secrets(&self) -> bool {
        match self.holder {
            TokenHolder::User | TokenHolder::TrustedApp | TokenHolder::App(_) => true,
            TokenHolder::Client => false,
        }
    }

    /// Returns whether an administrator has administrator rights with it (behaviour 9.3).
    pub const fn allows_administration(&self) -> bool {
        match self.holder {
            TokenHolder::User | TokenHolder::TrustedApp => true,
            TokenHolder::Client | TokenHolder::App(_) => false,
        }
    }

    /// Checks that an administrator may administer with it (behaviour 9.22).
    ///
    /// # Errors
    /// [`Refusal::InsufficientScope`].
    pub const fn check_administration(&self) -> Result<(), Refusal> {
        if !self.allows_administration() {
            Err(Refusal::InsufficientScope("an app holds it, and apps may not manage users"))
        } else if self.is_limited() {
            let limit = "it is limited, and administration needs a token without limits";
            Err(Refusal::InsufficientScope(limit))
        } else {
            Ok(())
        }
    }

    /// Returns the app that holds it, if any.
    pub const fn app(&self) -> Option<&AppId> {
        match &self.holder {
            TokenHolder::App(app) => Some(app),
            TokenHolder::User | TokenHolder::TrustedApp | TokenHolder::Client => None,
        }
    }

    /// Checks that it may write.
    ///
    /// # Errors
    /// [`Refusal::InsufficientScope`].
    pub const fn check_write(&self) -> Result<(), Refusal> {
        if self.read_only { Err(Refusal::InsufficientScope("it may only read")) } else { Ok(()) }
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
    fn holder_decides_what_a_token_may_do() {
        let (own, other) = (AppId::new("tax-bot").unwrap(), AppId::new("bank-bot").unwrap());
        let books = Some([key("a")].into());
        // Holder; then: credentials, lasting changes, own connections, connections of other apps,
        // connections with a token that is limited to books, their properties, administration.
        for (holder, expected) in [
            (TokenHolder::User, [true, true, true, true, false, true, true]),
            (TokenHolder::TrustedApp, [false, true, true, true, false, true, true]),
            (TokenHolder::Client, [false, true, true, true, false, false, false]),
            (TokenHolder::App(own.clone()), [false, false, true, false, true, true, false]),
        ] {
            let scope = TokenScope { holder: holder.clone(), ..TokenScope::default() };
            let limited = TokenScope { books: books.clone(), ..scope.clone() };
            let allowed = [
                scope.check_credentials().is_ok(),
                scope.check_lasting().is_ok(),
                scope.check_connections().is_ok() && scope.sees_connections_to(&own),
                scope.sees_connections_to(&other),
                limited.check_connections().is_ok(),
                scope.shows_secrets(),
                scope.allows_administration(),
            ];
            assert_eq!(allowed, expected, "{holder:?}");
            let administers = scope.check_administration().is_ok();
            assert_eq!(administers, scope.allows_administration(), "{holder:?}");
            assert_eq!(scope.is_limited(), scope.app().is_some());
            assert_eq!(scope.app(), (holder == TokenHolder::App(own.clone())).then_some(&own));
        }
    }

    #[test]
    fn scope_limits_books_and_writing() {
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
            assert_eq!(scope.check_administration().is_ok(), !scope.is_limited(), "{scope:?}");
        }
    }

    #[test]
    fn number_of_books_is_limited() {
        let many: Vec<String> = (0..=MAX_BOOKS).map(|n| n.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(scope(false, Some(&[])).check(), Err(Refusal::NoBooks));
        assert_eq!(scope(false, Some(&many[1..])).check(), Ok(()));
        assert_eq!(scope(false, Some(&many)).check(), Err(Refusal::TooManyBooks(MAX_BOOKS + 1)));
        assert_eq!(scope(true, None).check(), Ok(()));
    }
}
