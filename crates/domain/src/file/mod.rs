//! Files of a book (behaviour 9.6).
//!
//! A [`File`] is the metadata of a blob, whose bytes the blobs crate stores. Transactions refer to
//! files by id. A file is served at an unguessable [`FileAddress`] without authentication.

mod address;
mod attachment;
mod events;
pub mod media;
mod refusal;

pub use address::{FileAddress, FileSecret};
pub use attachment::{AttachedFile, Attachment, FilesById};
pub use refusal::Refusal;

use crate::event::Previous;
use crate::field::Field;
use crate::id::{FileId, UserId};
use crate::instant::{Instant, Stamp};
use crate::name;
use crate::property::{Edits, FieldTexts, Properties, previous_values};
use crate::version::Tag;

/// Maximum size of a file in bytes (behaviour 9.6, 10.8).
pub const MAX_BYTES: usize = 20 * 1024 * 1024;

/// The metadata of the bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The name of the blob in its book. New bytes get a new name.
    pub blob: String,
    /// The number of bytes.
    pub size: i64,
    /// The SHA-256 of the bytes in hexadecimal digits, for comparisons.
    pub digest: String,
}

/// A file of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The id. Later files have higher ids.
    pub id: FileId,
    /// The name; not unique.
    pub name: String,
    /// The media type.
    pub content_type: String,
    /// The metadata of its bytes.
    pub content: Content,
    /// The token from which its address is computed, with the secret of the book (behaviour 9.20).
    pub token: String,
    /// Custom properties, including `upload_method` and the like.
    pub properties: Properties,
    /// The user who created it.
    pub created_by: UserId,
    /// The app and the times.
    pub stamp: Stamp,
}

/// The fields of the body of a create or update.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The id of the file to change.
    pub id: Option<String>,
    /// The new name.
    pub name: Option<String>,
    /// The media type; derived from the name when cleared.
    pub content_type: Field<String>,
    /// Properties to merge.
    pub properties: Edits,
    /// The new content, already stored.
    pub content: Option<Content>,
}

/// The data of a new file besides its body.
#[derive(Debug, Clone)]
pub struct NewFile {
    /// The id.
    pub id: FileId,
    /// The token.
    pub token: String,
    /// The user who creates it.
    pub by: UserId,
    /// The app and the time.
    pub stamp: Stamp,
}

impl File {
    /// Creates a file. Its bytes must be stored already.
    ///
    /// # Errors
    /// [`Refusal::ContentType`]; the refusal of a name or property.
    pub fn create(
        new: NewFile,
        changes: Changes,
        content: Content,
    ) -> Result<Self, crate::Refusal> {
        let NewFile { id, token, by, stamp } = new;
        let name = check_name(&changes.name.unwrap_or_default())?;
        let content_type = check_content_type(changes.content_type.value(), &name)?;
        let properties = Properties::default().merge(&changes.properties)?;
        Ok(Self { id, name, content_type, content, token, properties, created_by: by, stamp })
    }

    /// Applies an update and returns the previous values of the changed fields.
    ///
    /// Content equal to the stored content is not a change, because clients send back whole files.
    ///
    /// # Errors
    /// See [`File::create`].
    pub fn update(
        self,
        changes: Changes,
        now: Instant,
    ) -> Result<(Self, Previous), crate::Refusal> {
        let before = self.clone();
        let mut after = self;
        if let Some(name) = changes.name {
            after.name = check_name(&name)?;
        }
        after.content_type = match changes.content_type {
            Field::Keep => after.content_type,
            field @ (Field::Clear | Field::Set(_)) => {
                check_content_type(field.value(), &after.name)?
            }
        };
        after.properties = after.properties.merge(&changes.properties)?;
        if let Some(content) =
            changes.content.filter(|content| content.digest != before.content.digest)
        {
            after.content = content;
        }
        let properties = [&before.properties, &after.properties];
        let previous = previous_values([before.texts(), after.texts()], properties);
        if !previous.is_empty() {
            after.stamp = after.stamp.touch(now);
        }
        Ok((after, previous))
    }

    /// Returns the address of its bytes, relative to that of the server.
    pub fn address(&self, secret: &FileSecret, book: crate::id::BookId) -> FileAddress {
        secret.address(book, self.id, &self.token)
    }

    fn texts(&self) -> FieldTexts<4> {
        [
            ("name", self.name.clone()),
            ("contentType", self.content_type.clone()),
            // Events contain the digest instead of the bytes.
            ("content", self.content.digest.clone()),
            ("size", self.content.size.to_string()),
        ]
    }
}

/// Trims a name and checks its length. All characters are allowed, because it is never used as a
/// path.
fn check_name(text: &str) -> Result<String, name::Refusal> {
    let trimmed = text.trim();
    match trimmed.chars().count() {
        0 => Err(name::Refusal::Missing),
        length if length > name::MAX_NAME => Err(name::Refusal::TooLong(length)),
        _ => Ok(trimmed.to_owned()),
    }
}

/// Validates a media type, or derives it from the extension of the name.
fn check_content_type(text: Option<String>, name: &str) -> Result<String, Refusal> {
    match text.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        None => Ok(media::from_file_name(name).to_owned()),
        Some(text) if media::is_media_type(text) => Ok(text.to_owned()),
        Some(text) => Err(Refusal::ContentType(text.chars().take(60).collect())),
    }
}

impl From<&File> for Tag {
    fn from(file: &File) -> Self {
        Self::new("file", file.id, file.stamp.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::pairs;

    fn content(digest: &str, size: i64) -> Content {
        Content { blob: format!("blob-{digest}"), size, digest: digest.to_owned() }
    }

    fn create(changes: Changes) -> Result<File, crate::Refusal> {
        let (token, stamp) = ("secret".to_owned(), crate::fixture::stamp());
        let new = NewFile { id: FileId::new(1), token, by: UserId::new(2), stamp };
        File::create(new, changes, content("a", 1))
    }

    fn named(name: &str) -> Changes {
        Changes { name: Some(name.to_owned()), ..Changes::default() }
    }

    #[test]
    fn name_is_required_and_determines_the_type() {
        let file = create(named(" Receipt.PDF ")).unwrap();
        assert_eq!((&*file.name, &*file.content_type), ("Receipt.PDF", "application/pdf"));
        assert!(create(named(&"é".repeat(255))).is_ok());
        for invalid in ["", "  ", &"é".repeat(256)] {
            assert!(create(named(invalid)).is_err(), "{invalid}");
        }
        let odd = Changes { content_type: Field::Set("pdf".to_owned()), ..named("a.pdf") };
        assert_eq!(create(odd), Err(Refusal::ContentType("pdf".to_owned()).into()));
    }

    #[test]
    fn update_returns_previous_values() {
        let file = || create(named("a.txt")).unwrap();
        let whole = Changes {
            content_type: Field::Set("text/plain".to_owned()),
            content: Some(content("a", 1)),
            ..named("a.txt")
        };
        let unchanged = file().update(whole, Instant::new(9)).unwrap();
        assert_eq!(unchanged, (file(), Previous::new()), "an unchanged file that is sent back");
        let changes = Changes {
            content: Some(content("b", 1)),
            content_type: Field::Clear,
            ..named("a.csv")
        };
        let (after, previous) = file().update(changes, Instant::new(9)).unwrap();
        assert_eq!(after.content, content("b", 1));
        assert_eq!((after.content_type.as_str(), after.stamp.version), ("text/csv", 2));
        let expected = [("content", "a"), ("contentType", "text/plain"), ("name", "a.txt")];
        assert_eq!(pairs(&previous), expected);
        assert!(file().update(named(" "), Instant::new(9)).is_err());
    }
}
