//! Deleted books, from behaviour 6.22.

use daybook_domain::event::EventType;
use daybook_domain::permission::Permission;

use super::{Book, Caller, Model, may};
use crate::sim::facts::{self, Event, Refusal, Resource};
use crate::sim::label;

/// The retention of a deleted book, in days and in milliseconds.
pub const DAYS: u16 = 30;
const WAIT: i64 = 30 * 24 * 3_600_000;

/// A deleted book with its log.
#[derive(Clone, Debug)]
pub struct Deleted {
    pub book: Book,
    pub log: Vec<Event>,
    at: i64,
}

impl Model {
    pub fn delete_book(&mut self, caller: &Caller) -> Result<facts::Book, Refusal> {
        let book = caller.book;
        let (found, permission) = self.enter(caller, may::OWN)?;
        let shown = self.shown(found, permission, caller);
        self.write(caller, may::OWN, |tx| {
            tx.emit(EventType::BookDeleted, Resource::Book(book));
            Ok(())
        })?;
        if let (Some(deleted), Some(log)) = (self.books.remove(&book), self.logs.remove(&book)) {
            self.deleted.insert(book, Deleted { book: deleted, log, at: caller.now });
        }
        for collection in self.collections.values_mut() {
            collection.books.remove(&book);
        }
        Ok(shown)
    }

    /// Restores a book of the caller (12.12).
    pub fn restore_book(&mut self, caller: &Caller) -> Result<facts::Book, Refusal> {
        let book = caller.book;
        let owned =
            self.deleted.get(&book).filter(|deleted| self.owns(&deleted.book, caller)).cloned();
        let Deleted { book: back, log, .. } = owned.ok_or_else(Refusal::missing)?;
        self.deleted.remove(&book);
        self.books.insert(book, back);
        self.logs.insert(book, log);
        self.write(caller, may::OWN, |tx| {
            tx.emit(EventType::BookUpdated, Resource::Book(book));
            Ok(())
        })?;
        self.get_book(caller)
    }

    /// Lists the caller's restorable books by name (12.12).
    pub fn list_deleted_books(&self, caller: &Caller) -> Vec<facts::Book> {
        let own = self.deleted.values().filter(|deleted| self.owns(&deleted.book, caller));
        let mut shown: Vec<facts::Book> =
            own.map(|deleted| self.shown(&deleted.book, Permission::Owner, caller)).collect();
        shown.sort_by_key(|book| (book.settings.name.to_lowercase(), book.label));
        shown
    }

    /// Removes a book whose retention has ended; returns whether it was due.
    pub fn remove_book(&mut self, book: label::Book, now: i64) -> bool {
        let due = self.deleted.get(&book).is_some_and(|deleted| deleted.at + WAIT <= now);
        if due {
            self.deleted.remove(&book);
            self.forget_webhooks(book);
        }
        due
    }

    fn owns(&self, book: &Book, caller: &Caller) -> bool {
        let email = &self.users[caller.who].email;
        book.collaborators
            .values()
            .any(|one| one.email == *email && one.permission == Permission::Owner)
    }
}
