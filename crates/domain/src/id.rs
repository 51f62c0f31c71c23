//! Identifiers: time-ordered 63-bit integers, opaque to clients (behaviour 0.14).

use std::fmt;
use std::str::FromStr;

/// A text that cannot be an identifier, so the resource does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid identifier")]
pub struct InvalidId;

/// Declares identifiers: structs of an `i64` with `new`, `get`, `Display` and `FromStr`. `decimal`
/// writes digits (for ids whose DELETE paths take an int64), `hex` 16 hexadecimal digits.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident: $style:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(i64);

        impl $name {
            /// Wraps the stored number.
            pub const fn new(number: i64) -> Self {
                Self(number)
            }

            /// Returns the stored number.
            pub const fn get(self) -> i64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                $style::write(self.0, f)
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                $style::read(text).map(Self).ok_or(InvalidId)
            }
        }
    )*};
}

ids! {
    /// The number of a book in the database. Clients see its [`BookKey`].
    BookId: decimal,
    /// A user.
    UserId: decimal,
    /// An invitation of a new user (behaviour 9.22).
    InvitationId: decimal,
    /// An account: digits, unique across all books.
    AccountId: decimal,
    /// A group of accounts: digits, unique across all books.
    GroupId: decimal,
    /// A transaction. Later ids are higher, so lists order by (day, id) (behaviour 2.6).
    TransactionId: hex,
    /// A file. Later ids are higher, and lists order by id (behaviour 2.6).
    FileId: hex,
    /// A collaborator of a book (behaviour 7.5).
    CollaboratorId: hex,
    /// A request for access to a book.
    AccessRequestId: hex,
    /// A saved query: digits, unique across all books.
    SavedQueryId: decimal,
    /// A comment on a transaction: digits, unique across all books.
    CommentId: decimal,
    /// A reconciliation. Later ids are higher, and lists order by date and id (behaviour 14.2).
    ReconciliationId: hex,
    /// An import of a file. Later ids are higher, and lists order by id (behaviour 15.11).
    ImportId: hex,
    /// An app in a book: digits, unique across all books.
    IntegrationId: decimal,
    /// A user's connection.
    ConnectionId: hex,
    /// An access token of this installation.
    TokenId: hex,
    /// An API key.
    ApiKeyId: hex,
    /// A browser session.
    SessionId: hex,
    /// A mail in the outbox.
    MailId: hex,
    /// A user's grant to an OAuth client.
    GrantId: hex,
    /// A user's collection of books.
    CollectionId: hex,
}

/// The public id of a book (behaviour 0.14).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BookKey(String);

impl BookKey {
    /// Wraps an id.
    pub const fn new(key: String) -> Self {
        Self(key)
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether it has the form of a book id: 32 hexadecimal digits.
    pub fn is_well_formed(&self) -> bool {
        self.0.len() == 32 && is_lower_hex(&self.0)
    }
}

impl fmt::Display for BookKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns whether the text consists of hexadecimal digits in lower case.
pub(crate) fn is_lower_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

mod decimal {
    use std::fmt;

    pub(super) fn write(number: i64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{number}")
    }

    pub(super) fn read(text: &str) -> Option<i64> {
        let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if is_number { text.parse().ok() } else { None }
    }
}

mod hex {
    use std::fmt;

    pub(super) fn write(number: i64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{number:016x}")
    }

    pub(super) fn read(text: &str) -> Option<i64> {
        let is_number = text.len() == 16 && super::is_lower_hex(text);
        if is_number { i64::from_str_radix(text, 16).ok() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_round_trip_as_text() {
        let account = AccountId::new(746_391_105_536_000_123);
        assert_eq!(account.to_string().parse(), Ok(account));
        let transaction = TransactionId::new(0x0a5b_0000_0000_0001);
        assert_eq!(transaction.to_string(), "0a5b000000000001");
        assert_eq!(transaction.to_string().parse(), Ok(transaction));
    }

    #[test]
    fn book_key_is_32_hexadecimal_digits() {
        let well_formed = |text: &str| BookKey::new(text.to_owned()).is_well_formed();
        assert!(well_formed("0192f5c0a1b27c3d8e4f5a6b7c8d9e0f"));
        for text in ["", "nobody", "0192F5C0A1B27C3D8E4F5A6B7C8D9E0F", &"0".repeat(33)] {
            assert!(!well_formed(text), "{text}");
        }
    }

    #[test]
    fn other_text_is_rejected() {
        for text in ["", "-1", "+1", "1 ", "abc", "99999999999999999999", "1.0"] {
            assert_eq!(text.parse::<AccountId>(), Err(InvalidId), "{text}");
        }
        for text in ["", "0a5b", "0A5B000000000001", "ffffffffffffffff", "0a5b00000000000g"] {
            assert_eq!(text.parse::<TransactionId>(), Err(InvalidId), "{text}");
        }
    }
}
