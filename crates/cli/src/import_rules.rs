//! Files of rules that imports use, in the book.

use std::path::Path;

use daybook_client::types::File;

use crate::failure::{Failure, Result};
use crate::session::OpenBook;

/// Rules in the book.
pub(crate) struct StoredRules {
    /// The id of the file.
    pub(crate) id: String,
    /// Whether the book had no such file.
    pub(crate) is_new: bool,
}

/// Finds rules in the book, by their id or by a file here with the same name and content. Such a
/// file is stored if the book does not have it.
///
/// # Errors
/// When the file cannot be read, or the server refuses.
pub(crate) async fn stored_rules(book: &OpenBook, named: &str) -> Result<StoredRules> {
    let bytes = match std::fs::read(named) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(StoredRules { id: named.to_owned(), is_new: false });
        }
        Err(error) => return Err(Failure::io(named, &error)),
    };
    let name = Path::new(named).file_name();
    let file = File {
        name: name.map(|name| name.to_string_lossy().into_owned()),
        content_type: Some("text/plain".to_owned()),
        content: Some(base64(&bytes)),
        ..File::default()
    };
    let size = i64::try_from(bytes.len()).ok();
    for other in book.handle.files().all().await? {
        if other.name != file.name || other.size != size {
            continue;
        }
        let id = other.id.unwrap_or_default();
        if book.handle.get_file(&id).await?.value.content == file.content {
            return Ok(StoredRules { id, is_new: false });
        }
    }
    let stored = book.handle.create_file(&file).await?.value;
    Ok(StoredRules { id: stored.id.unwrap_or_default(), is_new: true })
}

/// Encodes bytes in base64 (RFC 4648, 4).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |bits: u32| {
        let index = usize::try_from(bits & 63).unwrap_or_default();
        DIGITS.get(index).map_or('=', |byte| char::from(*byte))
    };
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| chunk.get(index).copied().map_or(0, u32::from);
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        text.push(digit(bits >> 18));
        text.push(digit(bits >> 12));
        text.push(if chunk.len() > 1 { digit(bits >> 6) } else { '=' });
        text.push(if chunk.len() > 2 { digit(bits) } else { '=' });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_has_the_vectors_of_its_rfc() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
