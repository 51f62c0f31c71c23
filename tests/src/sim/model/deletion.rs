//! Deleted books, from behaviour 6.22.

use std::collections::BTreeMap;

use daybook_domain::event::EventType;
use daybook_domain::permission::Permission;

use super::{Book, Caller, Model, may};
use crate::sim::facts::{self, Event, Refused, Resource};
use crate::sim::label;

/// How long a deleted book waits, in days and in milliseconds.
pub const DAYS: u16 = 30;
const WAIT: i64 = 30 * 24 * 3_600_000;

/// A book that exists for nobody, with its log.
#[derive(Clone, Debug)]
pub struct Deleted {
    pub book: Book,
    pub log: Vec<Event>,
    at: i64,
}

impl Model {
    pub fn delete_book(
        &mut self,
        book: label::Book,
        caller: &Caller,
    ) -> Result<facts::Book, Refused> {
        let (found, permission) = self.enter(book, caller, may::OWN)?;
        let shown = self.shown(found, permission, caller);
        self.write(book, caller, may::OWN, |turn| {
            turn.emit(EventType::BookDeleted, Resource::Book(book), BTreeMap::new());
            Ok(())
        })?;
        if let (Some(gone), Some(log)) = (self.books.remove(&book), self.logs.remove(&book)) {
            self.deleted.insert(book, Deleted { book: gone, log, at: caller.now });
        }
        for collection in self.collections.values_mut() {
            collection.books.remove(&book);
        }
        Ok(shown)
    }

    /// 12.12: for its owner alone.
    pub fn restore_book(
        &mut self,
        book: label::Book,
        caller: &Caller,
    ) -> Result<facts::Book, Refused> {
        let owned = self.deleted.get(&book).filter(|gone| self.owns(&gone.book, caller)).cloned();
        let Deleted { book: back, log, at } = owned.ok_or_else(Refused::missing)?;
        self.deleted.remove(&book);
        self.books.insert(book, back);
        self.logs.insert(book, log);
        self.write(book, caller, may::OWN, |turn| {
            let previous = BTreeMap::from([("deletedAt".to_owned(), at.to_string())]);
            turn.emit(EventType::BookUpdated, Resource::Book(book), previous);
            Ok(())
        })?;
        self.get_book(book, caller)
    }

    /// 12.12: those of the caller that can be restored, by name.
    pub fn list_deleted_books(&self, caller: &Caller) -> Vec<facts::Book> {
        let own = self.deleted.values().filter(|gone| self.owns(&gone.book, caller));
        let mut shown: Vec<facts::Book> =
            own.map(|gone| self.shown(&gone.book, Permission::Owner, caller)).collect();
        shown.sort_by_key(|book| (book.settings.name.to_lowercase(), book.label));
        shown
    }

    /// The worker removes a book whose time is over; how many it removes.
    pub fn remove_book(&mut self, book: label::Book, now: i64) -> usize {
        let due = self.deleted.get(&book).is_some_and(|gone| gone.at + WAIT <= now);
        if due {
            self.take_leave(book, now);
            self.deleted.remove(&book);
            self.forget_webhooks(book);
        }
        usize::from(due)
    }

    fn owns(&self, book: &Book, caller: &Caller) -> bool {
        let email = &self.users[caller.who].email;
        book.collaborators
            .values()
            .any(|one| one.email == *email && one.permission == Permission::Owner)
    }
}
