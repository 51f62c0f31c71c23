//! The address a file is served at without signing in, with its secret token (behaviour 9.6).

use std::fmt;
use std::str::FromStr;

use crate::id::{BookId, FileId, NotAnId};

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
