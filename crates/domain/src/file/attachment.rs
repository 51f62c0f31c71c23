//! Entries of the `files[]` of a transaction (behaviour 3.2.12).

use std::collections::HashMap;

use super::{Changes, Content, File};
use crate::id::{FileId, UserId};

/// What transactions and their events need of a file: all but its content, properties and times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachedFile {
    /// Its id.
    pub id: FileId,
    /// Its name.
    pub name: String,
    /// Its media type.
    pub content_type: String,
    /// What its addresses are computed from, beside the secret of its book.
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
    /// Holds these files.
    #[must_use]
    pub fn new(files: Vec<AttachedFile>) -> Self {
        Self(files.into_iter().map(|file| (file.id, file)).collect())
    }

    /// The file with that id.
    #[must_use]
    pub fn get(&self, id: FileId) -> Option<&AttachedFile> {
        self.0.get(&id)
    }

    /// Adds a file, or puts a newer state of it in place.
    pub fn put(&mut self, file: AttachedFile) {
        self.0.insert(file.id, file);
    }
}

/// One entry of `files[]`.
#[derive(Debug, Clone)]
pub enum Attachment {
    /// As the body gives it, not yet resolved.
    Given {
        /// The id it names, if any.
        id: Option<String>,
        /// The data of a new file, when the entry has content.
        new: Option<Box<(Changes, Content)>>,
    },
    /// A file of the book.
    File(FileId),
}

impl Attachment {
    /// The id it names, for loading all at once.
    #[must_use]
    pub fn named(&self) -> Option<FileId> {
        match self {
            Self::Given { id, .. } => id.as_deref().and_then(|id| id.trim().parse().ok()),
            Self::File(id) => Some(*id),
        }
    }

    /// The id for messages, shortened.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::Given { id, .. } => id.clone().unwrap_or_default().chars().take(60).collect(),
            Self::File(id) => id.to_string(),
        }
    }

    /// Resolves an entry: a known id is kept by reference, whatever else the entry says; without
    /// one, content becomes a new file; with neither it stays as given, for the create to drop and
    /// the update to refuse (behaviour 3.2.12).
    ///
    /// # Errors
    /// Whatever `create` answers.
    pub fn resolve<E>(
        self,
        known: impl Fn(FileId) -> bool,
        create: impl FnOnce(Changes, Content) -> Result<FileId, E>,
    ) -> Result<Self, E> {
        if let Some(id) = self.named().filter(|id| known(*id)) {
            return Ok(Self::File(id));
        }
        match self {
            Self::Given { new: Some(new), .. } => {
                let (changes, content) = *new;
                create(changes, content).map(Self::File)
            }
            unknown @ (Self::Given { new: None, .. } | Self::File(_)) => Ok(unknown),
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
    fn known_ids_win_and_content_makes_the_others() {
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
            let shown = format!("{entry:?}");
            assert_eq!(file(entry), expected, "{shown}");
        }
        assert_eq!(
            given(None, true).resolve(|_| true, |_, _| Err("no name")).err(),
            Some("no name")
        );
    }
}
