//! Drawing files, and what attaches them.

use daybook_domain::field::Field;

use super::Draw;
use crate::sim::body::{FileBody, Id};
use crate::sim::facts::Content;
use crate::sim::label;

const NAMES: [&str; 6] =
    ["receipt.pdf", "Scan.PNG", "notes.txt", "archive.xyz", "README", "a.b.txt"];
const KINDS: [&str; 4] = ["text/csv", "image/png", "application/vnd.sheet", " "];

impl Draw<'_> {
    pub fn file(&mut self) -> Option<label::File> {
        let known: Vec<label::File> =
            self.state().map(|book| book.files.keys().copied().collect()).unwrap_or_default();
        self.one_of(&known)
    }

    pub fn new_file(&mut self) -> FileBody {
        let name = if self.unrestricted && self.one_in(6) {
            self.pick(&[None, Some(" ")])
        } else {
            Some(self.pick(&NAMES))
        };
        FileBody {
            label: self.label(),
            id: None,
            name: name.map(str::to_owned),
            content_type: self.content_type(),
            content: Some(self.content()),
            properties: self.properties(),
        }
    }

    pub fn changed_file(&mut self, id: Option<Id<label::File>>) -> FileBody {
        let full = self.new_file();
        FileBody {
            id,
            name: full.name.clone().filter(|_| self.one_in(3)),
            content: self.one_in(2).then(|| self.content()),
            content_type: if self.one_in(2) { Field::Keep } else { self.content_type() },
            ..full
        }
    }

    /// Few contents, so that equal ones repeat.
    fn content(&mut self) -> Content {
        self.pick(&[Content(0), Content(1), Content(2)])
    }

    fn content_type(&mut self) -> Field<String> {
        match self.below(4) {
            0 => Field::Set(self.pick(&KINDS).to_owned()),
            1 => Field::Clear,
            2 if self.unrestricted => Field::Set(self.pick(&["text", "a/b, c/d"]).to_owned()),
            _ => Field::Keep,
        }
    }

    /// Entries of `files[]`: files of the book, new ones, and invalid ones.
    pub fn attachments(&mut self) -> Vec<FileBody> {
        (0..self.below(4)).map(|_| self.attachment()).collect()
    }

    fn attachment(&mut self) -> FileBody {
        let (known, new) = (self.file(), self.new_file());
        match known {
            Some(label) if !self.one_in(4) => FileBody {
                id: Some(Id::Of(label)),
                content: new.content.filter(|_| self.one_in(4)),
                ..new
            },
            _ if self.unrestricted && self.one_in(3) => {
                FileBody { id: Some(Id::Unknown), content: None, ..new }
            }
            _ => new,
        }
    }
}
