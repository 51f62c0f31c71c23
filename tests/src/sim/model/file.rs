//! Files and the transactions that reference them, from behaviour 3.2.12, 3.2.13, 8.3, 9.6, 9.14 -
//! 9.16 and 12.1.

use daybook_domain::event::EventType;
use daybook_domain::field::Field;
use daybook_domain::permission::Permission;
use daybook_domain::transaction::Standing;

use super::text::{checked_title, merged};
use super::{Book, Caller, Model, Tx, may};
use crate::sim::body::{FileBody, Id};
use crate::sim::facts::{File, Properties, Refusal, Resource, Transaction};
use crate::sim::label;

impl Model {
    /// Lists files, newest first; a RECORDER sees only its own.
    pub fn list_files(&self, caller: &Caller) -> Result<Vec<File>, Refusal> {
        let (book, permission) = self.enter(caller, may::READ_TRANSACTIONS)?;
        let visible =
            |file: &&File| book.allows(permission, may::READ) || file.creator == caller.who;
        Ok(book.files.values().rev().filter(visible).cloned().collect())
    }

    pub fn get_file(&self, caller: &Caller, id: Id<label::File>) -> Result<File, Refusal> {
        let (book, permission) = self.enter(caller, may::READ_TRANSACTIONS)?;
        let visible =
            |file: &&File| book.allows(permission, may::READ) || file.creator == caller.who;
        book.file(id).filter(visible).cloned().ok_or_else(Refusal::missing)
    }
}

impl Book {
    fn file(&self, id: Id<label::File>) -> Option<&File> {
        id.known().and_then(|label| self.files.get(&label))
    }

    fn holders(&self, file: label::File) -> Vec<Transaction> {
        self.transactions.values().filter(|one| one.files.contains(&file)).cloned().collect()
    }
}

impl Tx {
    pub fn create_file(&mut self, body: &FileBody) -> Result<File, Refusal> {
        let name = checked_title(body.name.as_deref())?;
        let file = File {
            label: body.label,
            content_type: content_type(&body.content_type, "", &name)?,
            name,
            content: body.content.unwrap_or_default(),
            properties: merged(&Properties::new(), &body.properties)?,
            creator: self.caller.who,
            stamp: self.caller.stamp(),
        };
        self.book.files.insert(file.label, file.clone());
        self.emit(EventType::FileCreated, Resource::File(file.label));
        Ok(file)
    }

    pub fn update_file(&mut self, body: &FileBody) -> Result<File, Refusal> {
        let before = self.visible_file(body.id.ok_or_else(Refusal::bad)?)?;
        self.check_own(&before)?;
        let name = body
            .name
            .as_deref()
            .map_or(Ok(before.name.clone()), |name| checked_title(Some(name)))?;
        let mut after = File {
            content_type: content_type(&body.content_type, &before.content_type, &name)?,
            name,
            content: body.content.unwrap_or(before.content),
            properties: merged(&before.properties, &body.properties)?,
            ..before.clone()
        };
        if after.content != before.content {
            self.check_lets_go(before.label)?;
        }
        if after == before {
            return Ok(after);
        }
        after.stamp.updated = self.caller.now;
        self.book.files.insert(after.label, after.clone());
        self.emit(EventType::FileUpdated, Resource::File(after.label));
        Ok(after)
    }

    /// Deletes a file and removes it from the transactions that reference it.
    pub fn delete_file(&mut self, id: Id<label::File>) -> Result<File, Refusal> {
        let doomed = self.visible_file(id)?;
        self.check_own(&doomed)?;
        self.check_lets_go(doomed.label)?;
        for before in self.book.holders(doomed.label) {
            let mut after = before.clone();
            after.files.retain(|file| *file != doomed.label);
            self.replace_transaction(after, true);
        }
        self.book.files.remove(&doomed.label);
        self.emit(EventType::FileDeleted, Resource::File(doomed.label));
        Ok(doomed)
    }

    /// Applies `files[]`: files of the book by reference, each once, and new ones with content. A
    /// create drops an unknown reference, an update refuses it.
    pub fn attached(
        &mut self,
        entries: &[FileBody],
        held: Option<&Transaction>,
    ) -> Result<Vec<label::File>, Refusal> {
        let mut files: Vec<label::File> = Vec::new();
        for entry in entries {
            let holds = |file: &File| held.is_some_and(|held| held.files.contains(&file.label));
            let known = |file: &&File| self.sees(file) || holds(file);
            let label = match entry.id.and_then(|id| self.book.file(id)).filter(known) {
                Some(file) => file.label,
                None if entry.content.is_some() => self.create_file(entry)?.label,
                None if held.is_none() => continue,
                None => return Err(Refusal::bad()),
            };
            if !files.contains(&label) {
                files.push(label);
            }
        }
        Ok(files)
    }

    /// Refuses a change of a file of another user by a RECORDER.
    fn check_own(&self, file: &File) -> Result<(), Refusal> {
        let restricted = self.permission == Permission::Recorder;
        if restricted && file.creator != self.caller.who {
            Err(Refusal::forbidden())
        } else {
            Ok(())
        }
    }

    fn sees(&self, file: &File) -> bool {
        self.may(may::READ) || file.creator == self.caller.who
    }

    fn visible_file(&self, id: Id<label::File>) -> Result<File, Refusal> {
        self.book.file(id).filter(|file| self.sees(file)).cloned().ok_or_else(Refusal::missing)
    }

    /// Refuses the deletion unless every transaction can release the file (9.16).
    fn check_lets_go(&self, file: label::File) -> Result<(), Refusal> {
        for holder in self.book.holders(file) {
            let restricted = self.permission == Permission::Recorder;
            let own = !restricted || holder.creator == self.caller.who;
            if !own || !self.may(if holder.is_posted() { may::POST } else { may::RECORD }) {
                return Err(Refusal::forbidden());
            }
            if holder.standing == Standing::Checked {
                return Err(Refusal::checked());
            }
            if holder.is_posted() && holder.date.is_some_and(|date| self.is_locked(date)) {
                return Err(Refusal::locked());
            }
        }
        Ok(())
    }
}

/// The content type; if null or blank, it follows from the extension of the name (9.6, 9.14).
fn content_type(given: &Field<String>, before: &str, name: &str) -> Result<String, Refusal> {
    match given {
        Field::Keep if !before.is_empty() => Ok(before.to_owned()),
        Field::Set(text) if !text.trim().is_empty() => match text.split_once('/') {
            Some((kind, form))
                if !kind.is_empty() && !form.is_empty() && !text.contains([' ', ',']) =>
            {
                Ok(text.clone())
            }
            _ => Err(Refusal::bad()),
        },
        Field::Keep | Field::Clear | Field::Set(_) => {
            let extension =
                name.rsplit_once('.').map_or("", |(_, extension)| extension).to_lowercase();
            let known = [("txt", "text/plain"), ("pdf", "application/pdf"), ("png", "image/png")];
            let found = known.into_iter().find(|(one, _)| *one == extension);
            Ok(found.map_or("application/octet-stream", |(_, kind)| kind).to_owned())
        }
    }
}
