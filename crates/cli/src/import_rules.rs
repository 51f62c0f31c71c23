//! Files of rules that imports use, in the book.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
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
        content: Some(STANDARD.encode(&bytes)),
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
