//! Snapshots of files, which transactions' snapshots hold too.

use super::fields::{Unreadable, parsed, stamped, text};
use crate::file::{AttachedFile, File};
use crate::id::FileId;
use crate::json::{Json, Object};

/// A file without its content; the token becomes its address when the event is read.
#[must_use]
pub fn file(file: &File) -> Object {
    stamped(
        described(&file.into())
            .with("size", Json::Number(file.content.size))
            .with("sha256", Json::text(file.content.digest.as_str()))
            .with_map("properties", file.properties.iter()),
        &file.stamp,
    )
}

/// A file in the snapshot of its transaction: as it was then, and kept when the file is deleted.
pub(super) fn attached(file: &AttachedFile) -> Json {
    Json::Object(described(file))
}

fn described(file: &AttachedFile) -> Object {
    Object::new()
        .with("id", Json::text(file.id.to_string()))
        .with("name", Json::text(file.name.as_str()))
        .with("contentType", Json::text(file.content_type.as_str()))
        .with("token", Json::text(file.token.as_str()))
}

/// A file as an event shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSnapshot {
    /// Its id.
    pub id: FileId,
    /// What makes its address.
    pub token: String,
    /// All of it but the token.
    pub object: Object,
}

impl FileSnapshot {
    /// Reads what [`file`] wrote, or what the snapshot of a transaction says of a file.
    ///
    /// # Errors
    /// [`Unreadable`] names the key that cannot have been written so.
    pub(super) fn read(mut object: Object) -> Result<Self, Unreadable> {
        let token = text(&object, "token")?.ok_or(Unreadable("token"))?.to_owned();
        object.take("token");
        // For audits alone.
        object.take("sha256");
        Ok(Self { id: parsed(&object, "id")?.ok_or(Unreadable("id"))?, token, object })
    }
}
