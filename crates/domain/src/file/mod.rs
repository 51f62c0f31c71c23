//! Files: their data apart from their bytes, which are stored elsewhere (behaviour 9.6).

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
use crate::property::{Edits, Properties};
use crate::version::Tag;

/// The most bytes of a file (behaviour 9.6, 10.8).
pub const MAX_BYTES: usize = 20 * 1024 * 1024;

/// What the rules know of the bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The name of the blob in its book; new bytes have a new name.
    pub blob: String,
    /// How many bytes.
    pub size: i64,
    /// The SHA-256 of the bytes in hexadecimal digits; it tells whether content changed.
    pub digest: String,
}

/// A file of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Grows with creation time.
    pub id: FileId,
    /// The name; several files may share one.
    pub name: String,
    /// Its media type.
    pub content_type: String,
    /// Its content.
    pub content: Content,
    /// What its addresses are computed from, beside the secret of its book (behaviour 9.20).
    pub token: String,
    /// Custom properties; `upload_method` and the like are ordinary ones.
    pub properties: Properties,
    /// The user who created it.
    pub created_by: UserId,
    /// Through which app, and when.
    pub stamp: Stamp,
}

/// The fields of the body of a create or update.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The id of the file to change.
    pub id: Option<String>,
    /// The name to give.
    pub name: Option<String>,
    /// The media type; when cleared, it follows from the name.
    pub content_type: Field<String>,
    /// Properties to merge.
    pub properties: Edits,
    /// The new content, already stored.
    pub content: Option<Content>,
}

/// The data of a new file that its body does not give.
#[derive(Debug, Clone)]
pub struct NewFile {
    /// Its id.
    pub id: FileId,
    /// Its token.
    pub token: String,
    /// The user who creates it.
    pub by: UserId,
    /// Through which app, and when.
    pub stamp: Stamp,
}

impl File {
    /// Makes a new file. Its bytes must be stored already.
    ///
    /// # Errors
    /// A missing or long name, [`Refusal::ContentType`], a refused property.
    pub fn create(
        making: NewFile,
        changes: Changes,
        content: Content,
    ) -> Result<Self, crate::Refusal> {
        let NewFile { id, token, by, stamp } = making;
        let name = checked_name(&changes.name.unwrap_or_default())?;
        let content_type = content_type(changes.content_type.value(), &name)?;
        let properties = Properties::default().merged(&changes.properties)?;
        Ok(Self { id, name, content_type, content, token, properties, created_by: by, stamp })
    }

    /// The file after an update, with the previous values of the fields that changed. Content equal
    /// to the stored content changes nothing: clients send back whole files.
    ///
    /// # Errors
    /// A missing or long name, [`Refusal::ContentType`], a refused property.
    pub fn update(
        self,
        changes: Changes,
        now: Instant,
    ) -> Result<(Self, Previous), crate::Refusal> {
        let before = self.clone();
        let mut after = self;
        if let Some(name) = changes.name {
            after.name = checked_name(&name)?;
        }
        after.content_type = match changes.content_type {
            Field::Keep => after.content_type,
            given @ (Field::Clear | Field::Set(_)) => content_type(given.value(), &after.name)?,
        };
        after.properties = after.properties.merged(&changes.properties)?;
        if let Some(content) =
            changes.content.filter(|content| content.digest != before.content.digest)
        {
            after.content = content;
        }
        let previous = before.differences(&after);
        if !previous.is_empty() {
            after.stamp = after.stamp.touched(now);
        }
        Ok((after, previous))
    }

    /// The address its bytes are served at, relative to that of the installation.
    #[must_use]
    pub fn address(&self, secret: &FileSecret, book: crate::id::BookId) -> FileAddress {
        secret.address(book, self.id, &self.token)
    }

    fn differences(&self, after: &Self) -> Previous {
        let mut previous = Previous::new();
        let mut note = |key: &str, changed: bool, old: String| {
            if changed {
                previous.insert(key.to_owned(), old);
            }
        };
        note("name", self.name != after.name, self.name.clone());
        note("contentType", self.content_type != after.content_type, self.content_type.clone());
        // An event does not contain the bytes; their digest tells them apart.
        note("content", self.content.digest != after.content.digest, self.content.digest.clone());
        note("size", self.content.size != after.content.size, self.content.size.to_string());
        self.properties.note_changes(&after.properties, &mut previous);
        previous
    }
}

/// A name as given, trimmed, 1 to 255 characters of any kind: it is never used as a path.
fn checked_name(text: &str) -> Result<String, name::Refusal> {
    let trimmed = text.trim();
    match trimmed.chars().count() {
        0 => Err(name::Refusal::Missing),
        length if length > name::MAX_NAME => Err(name::Refusal::TooLong(length)),
        _ => Ok(trimmed.to_owned()),
    }
}

/// The media type given, or the one for the extension of the name.
fn content_type(given: Option<String>, name: &str) -> Result<String, Refusal> {
    match given.as_deref().map(str::trim).filter(|given| !given.is_empty()) {
        None => Ok(media::of_name(name).to_owned()),
        Some(given) if media::is_type(given) => Ok(given.to_owned()),
        Some(given) => Err(Refusal::ContentType(given.chars().take(60).collect())),
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

    fn content(digest: &str, size: i64) -> Content {
        Content { blob: format!("blob-{digest}"), size, digest: digest.to_owned() }
    }

    fn making() -> NewFile {
        NewFile {
            id: FileId::new(1),
            token: "secret".to_owned(),
            by: UserId::new(2),
            stamp: Stamp::new(None, Instant::new(0)),
        }
    }

    fn named(name: &str) -> Changes {
        Changes { name: Some(name.to_owned()), ..Changes::default() }
    }

    #[test]
    fn a_name_is_required_and_tells_the_type() {
        let file = File::create(making(), named(" Receipt.PDF "), content("a", 1)).unwrap();
        assert_eq!(
            (file.name.as_str(), file.content_type.as_str()),
            ("Receipt.PDF", "application/pdf")
        );
        assert!(File::create(making(), named("é".repeat(255).as_str()), content("a", 1)).is_ok());
        for bad in ["", "  ", &"é".repeat(256)] {
            assert!(File::create(making(), named(bad), content("a", 1)).is_err(), "{bad}");
        }
        let odd = Changes { content_type: Field::Set("pdf".to_owned()), ..named("a.pdf") };
        assert_eq!(
            File::create(making(), odd, content("a", 1)),
            Err(Refusal::ContentType("pdf".to_owned()).into())
        );
    }

    #[test]
    fn an_update_tells_what_was_before() {
        let file = || File::create(making(), named("a.txt"), content("a", 1)).unwrap();
        let whole = Changes {
            content_type: Field::Set("text/plain".to_owned()),
            content: Some(content("a", 1)),
            ..named("a.txt")
        };
        let (same, previous) = file().update(whole, Instant::new(9)).unwrap();
        assert_eq!(
            (same, previous),
            (file(), Previous::new()),
            "what comes back unchanged changes nothing"
        );

        let changes = Changes {
            content: Some(content("b", 1)),
            content_type: Field::Clear,
            ..named("a.csv")
        };
        let (after, previous) = file().update(changes, Instant::new(9)).unwrap();
        assert_eq!(after.content, content("b", 1));
        assert_eq!((after.content_type.as_str(), after.stamp.version), ("text/csv", 2));
        let told: Vec<(&str, &str)> =
            previous.iter().map(|(key, old)| (key.as_str(), old.as_str())).collect();
        assert_eq!(told, [("content", "a"), ("contentType", "text/plain"), ("name", "a.txt")]);
        assert!(file().update(named(" "), Instant::new(9)).is_err());
    }
}
