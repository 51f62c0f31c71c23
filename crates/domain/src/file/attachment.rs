//! Entries of `files[]` of a transaction (behaviour 3.2.12).

use std::collections::HashMap;

use super::{Changes, Content, File};
use crate::id::{FileId, UserId};

/// The fields of a file that transactions and their events contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachedFile {
    /// The id.
    pub id: FileId,
    /// The name.
    pub name: String,
    /// The media type.
    pub content_type: String,
    /// The token from which its address is computed, with the secret of the book.
    pub token: String,
    /// The user who created it.
    pub created_by: UserId,
}

impl From<&File> for AttachedFile {
    fn from(file: &File) -> Self {
        Self {
            id: file.id,
            name: file.name.clone(),
            content_type: file.content_type.clone(),
            token: file.token.clone(),
            created_by: file.created_by,
        }
    }
}

/// Files by id.
#[derive(Debug, Clone, Default)]
pub struct FilesById(HashMap<FileId, AttachedFile>);

impl FilesById {
    /// Creates an index of these files.
    pub fn new(files: Vec<AttachedFile>) -> Self {
        Self(files.into_iter().map(|file| (file.id, file)).collect())
    }

    /// Returns the file with that id.
    pub fn get(&self, id: FileId) -> Option<&AttachedFile> {
        self.0.get(&id)
    }

    /// Adds or replaces a file.
    pub fn insert(&mut self, file: AttachedFile) {
        self.0.insert(file.id, file);
    }
}

/// An entry of `files[]`.
#[derive(Debug, Clone)]
pub enum Attachment {
    /// An entry of a request body, not resolved yet.
    Given {
        /// The id in the entry.
        id: Option<String>,
        /// The data of a new file, if the entry has content.
        new: Option<Box<(Changes, Content)>>,
    },
    /// A file of the book.
    File(FileId),
}

impl Attachment {
    /// Parses the id, so all named files can be loaded at once.
    pub fn file_id(&self) -> Option<FileId> {
        match self {
            Self::Given { id, .. } => id.as_deref().and_then(|id| id.trim().parse().ok()),
            Self::File(id) => Some(*id),
        }
    }

    /// Returns the id, truncated for messages.
    pub fn label(&self) -> String {
        match self {
            Self::Given { id, .. } => id.clone().unwrap_or_default().chars().take(60).collect(),
            Self::File(id) => id.to_string(),
        }
    }

    /// Resolves an entry (behaviour 3.2.12).
    ///
    /// An id of an existing file refers to it, and the rest of the entry is ignored. Otherwise,
    /// content becomes a new file. An entry with neither stays unresolved: a create drops it, and
    /// an update refuses it.
    ///
    /// # Errors
    /// The error of `create`.
    pub fn resolve<E>(
        self,
        exists: impl Fn(FileId) -> bool,
        create: impl FnOnce(Changes, Content) -> Result<FileId, E>,
    ) -> Result<Self, E> {
        if let Some(id) = self.file_id().filter(|id| exists(*id)) {
            return Ok(Self::File(id));
        }
        match self {
            Self::Given { new: Some(new), .. } => {
                let (changes, content) = *new;
                create(changes, content).map(Self::File)
            }
            unresolved @ (Self::Given { new: None, .. } | Self::File(_)) => Ok(unresolved),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(id: Option<&str>, content: bool) -> Attachment {
        let empty = || Content { blob: String::new(), size: 0, digest: String::new() };
        Attachment::Given {
            id: id.map(str::to_owned),
            new: content.then(|| Box::new((Changes::default(), empty()))),
        }
    }

    #[test]
    fn existing_ids_precede_content() {
        let known = FileId::new(7);
        let resolve = |entry: Attachment| {
            entry.resolve::<()>(|id| id == known, |_, _| Ok(FileId::new(100))).unwrap()
        };
        let file = |entry: Attachment| {
            if let Attachment::File(id) = resolve(entry) { Some(id.get()) } else { None }
        };
        let text = known.to_string();
        for (entry, expected) in [
            (given(Some(&text), false), Some(7)),
            (given(Some(&text), true), Some(7)),
            (given(Some("temporary_1"), true), Some(100)),
            (given(None, true), Some(100)),
            (given(Some("temporary_1"), false), None),
            (given(Some(&FileId::new(8).to_string()), false), None),
            (given(None, false), None),
        ] {
            let message = format!("{entry:?}");
            assert_eq!(file(entry), expected, "{message}");
        }
        assert_eq!(
            given(None, true).resolve(|_| true, |_, _| Err("no name")).err(),
            Some("no name")
        );
    }
}
