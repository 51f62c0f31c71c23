//! The address a file is served at without signing in, with its secret token (behaviour 9.6), and
//! what that is computed from (9.20).

use std::fmt;
use std::str::FromStr;

use crate::event::Hash;
use crate::id::{BookId, FileId, NotAnId};

/// Hexadecimal digits of a computed token: 128 bits.
const DIGITS: usize = 32;

/// What the addresses of the files of a book are computed from. A book gets another one when
/// somebody may see less of it, and its addresses end with the one before.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct FileSecret(String);

impl FileSecret {
    /// A secret with a text that nobody can guess.
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address of a file with its own token.
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
    #[must_use]
    pub fn address(&self, book: BookId, file: FileId, own: &str) -> FileAddress {
        let Self(secret) = self;
        // Two nested hashes with the secret in both, as in an HMAC.
        let inner = Hash::of(format!("{secret} {book} {file} {own}").as_bytes());
        let outer = Hash::of(format!("{secret} {inner}").as_bytes()).to_string();
        FileAddress { book, file, token: outer.chars().take(DIGITS).collect() }
    }
}

impl fmt::Debug for FileSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FileSecret")
    }
}

/// The address of a file, relative to that of the installation.
///
/// ```
/// use daybook_domain::file::FileAddress;
/// let text = "7-0a5b000000000001-5d0ae1f6c0b44c2c9f4d1c0ffee01234";
/// let address: FileAddress = text.parse().unwrap();
/// assert_eq!(address.to_string(), text);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileAddress {
    /// The number of the book; its public id would reveal more than the file.
    pub book: BookId,
    /// The file.
    pub file: FileId,
    /// The secret that shows that the caller was given the address.
    pub token: String,
}

impl FileAddress {
    /// Whether it is the same. How long that takes tells nothing of where they differ.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        let print = |address: &Self| Hash::of(address.to_string().as_bytes());
        print(self) == print(other)
    }
}

impl fmt::Display for FileAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { book, file, token } = self;
        write!(f, "{book}-{file}-{token}")
    }
}

impl FromStr for FileAddress {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let (book, rest) = text.split_once('-').ok_or(NotAnId)?;
        let (file, token) = rest.split_once('-').ok_or(NotAnId)?;
        let plain = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_hexdigit());
        if plain {
            Ok(Self { book: book.parse()?, file: file.parse()?, token: token.to_owned() })
        } else {
            Err(NotAnId)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_text_is_no_address() {
        for text in [
            "",
            "7",
            "7-0a5b000000000001",
            "7-0a5b000000000001-",
            "x-0a5b000000000001-ab",
            "7-1-ab",
            "7-0a5b000000000001-a b",
        ] {
            assert_eq!(text.parse::<FileAddress>(), Err(NotAnId), "{text}");
        }
    }
}
