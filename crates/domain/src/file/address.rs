//! Addresses at which files are served without authentication (behaviour 9.6, 9.20).

use std::fmt;
use std::str::FromStr;

use crate::event::Hash;
use crate::id::{BookId, FileId, InvalidId};

/// Number of hexadecimal digits of a token: 128 bits.
const DIGITS: usize = 32;

/// The secret of a book from which the addresses of its files are computed.
///
/// It is replaced when a user loses rights in the book, which invalidates all earlier addresses.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct FileSecret(String);

impl FileSecret {
    /// Wraps a random text.
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Computes the address of a file from the secret and the file's own token.
    ///
    /// ```
    /// use daybook_domain::file::FileSecret;
    /// use daybook_domain::id::{BookId, FileId};
    ///
    /// let address = |secret: &str| {
    ///     let secret = FileSecret::new(secret.to_owned());
    ///     secret.address(BookId::new(7), FileId::new(1), "ab12").to_string()
    /// };
    /// assert!(address("one").starts_with("7-0000000000000001-"));
    /// assert_eq!(address("one").len(), "7-0000000000000001-".len() + 32);
    /// assert_ne!(address("one"), address("another"));
    /// ```
    pub fn address(&self, book: BookId, file: FileId, token: &str) -> FileAddress {
        let Self(secret) = self;
        // Two nested hashes with the secret in both, as in an HMAC.
        let inner = Hash::of(format!("{secret} {book} {file} {token}").as_bytes());
        let outer = Hash::of(format!("{secret} {inner}").as_bytes()).to_string();
        FileAddress { book, file, token: outer.chars().take(DIGITS).collect() }
    }
}

impl fmt::Debug for FileSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FileSecret")
    }
}

/// The address of a file, relative to that of the server.
///
/// ```
/// use daybook_domain::file::FileAddress;
/// let text = "7-0a5b000000000001-5d0ae1f6c0b44c2c9f4d1c0ffee01234";
/// let address: FileAddress = text.parse().unwrap();
/// assert_eq!(address.to_string(), text);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileAddress {
    /// The id of the book. Its public id would give access to more than the file.
    pub book: BookId,
    /// The file.
    pub file: FileId,
    /// The secret that authorizes the request.
    pub token: String,
}

impl FileAddress {
    /// Compares addresses by hash, so the timing does not reveal where they differ.
    pub fn matches(&self, other: &Self) -> bool {
        let hash = |address: &Self| Hash::of(address.to_string().as_bytes());
        hash(self) == hash(other)
    }
}

impl fmt::Display for FileAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { book, file, token } = self;
        write!(f, "{book}-{file}-{token}")
    }
}

impl FromStr for FileAddress {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let (book, rest) = text.split_once('-').ok_or(InvalidId)?;
        let (file, token) = rest.split_once('-').ok_or(InvalidId)?;
        if !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            Ok(Self { book: book.parse()?, file: file.parse()?, token: token.to_owned() })
        } else {
            Err(InvalidId)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_addresses_are_rejected() {
        let malformed = ",7,7-0a5b000000000001,7-0a5b000000000001-,x-0a5b000000000001-ab,7-1-ab,\
                         7-0a5b000000000001-a b";
        for text in malformed.split(',') {
            assert_eq!(text.parse::<FileAddress>(), Err(InvalidId), "{text}");
        }
    }
}
