//! Snapshots of files.

use super::fields::{Unreadable, parse_text, read_text, with_stamp};
use crate::file::{AttachedFile, File};
use crate::id::FileId;
use crate::json::{Json, Object};

/// Creates the snapshot of a file. Readers compute its address from the token.
pub fn file(file: &File) -> Object {
    with_stamp(
        describe(&file.into())
            .with("size", Json::Number(file.content.size))
            .with("sha256", Json::text(file.content.digest.as_str()))
            .with_map("properties", file.properties.iter()),
        &file.stamp,
    )
}

/// Creates the entry of a file in the snapshot of its transaction.
pub(super) fn attached_file(file: &AttachedFile) -> Json {
    Json::Object(describe(file))
}

fn describe(file: &AttachedFile) -> Object {
    Object::new()
        .with("id", Json::text(file.id.to_string()))
        .with("name", Json::text(file.name.as_str()))
        .with("contentType", Json::text(file.content_type.as_str()))
        .with("token", Json::text(file.token.as_str()))
}

/// The file of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSnapshot {
    /// The id.
    pub id: FileId,
    /// The token from which its address is computed.
    pub token: String,
    /// The whole snapshot without the token.
    pub object: Object,
}

impl FileSnapshot {
    /// Parses a snapshot of [`file()`], or the file in the snapshot of a transaction.
    pub(super) fn read(mut object: Object) -> Result<Self, Unreadable> {
        let token = read_text(&object, "token")?.ok_or(Unreadable("token"))?.to_owned();
        object.remove("token");
        // Only audits use it.
        object.remove("sha256");
        Ok(Self { id: parse_text(&object, "id")?.ok_or(Unreadable("id"))?, token, object })
    }
}
