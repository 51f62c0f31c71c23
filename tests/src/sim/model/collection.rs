//! Collections, from behaviour 9.10, 9.18 and 9.19: a user's own sets of books.

use std::collections::BTreeSet;

use daybook_domain::permission::Permission;

use super::text::checked_title;
use super::{Book, Caller, Model};
use crate::sim::body::Id;
use crate::sim::facts::{self, Refusal, Stamp};
use crate::sim::label;

#[derive(Clone, Debug)]
pub struct Collection {
    /// The number of its owner.
    pub owner: usize,
    pub name: String,
    pub stamp: Stamp,
    pub books: BTreeSet<label::Book>,
}

impl Model {
    /// Lists the caller's own collections by name, then by age.
    pub fn list_collections(&self, caller: &Caller) -> Vec<facts::Collection> {
        let own = self.collections.iter().filter(|(_, one)| one.owner == caller.who);
        let mut listed: Vec<facts::Collection> =
            own.map(|(label, _)| self.own_collection(*label, caller)).collect();
        listed.sort_by_key(|one| (one.name.to_lowercase(), one.label));
        listed
    }

    pub fn get_collection(
        &self,
        caller: &Caller,
        id: Id<label::Collection>,
    ) -> Result<facts::Collection, Refusal> {
        self.find_collection(caller, id).map(|label| self.own_collection(label, caller))
    }

    pub fn create_collection(
        &mut self,
        caller: &Caller,
        label: label::Collection,
        name: Option<&str>,
    ) -> Result<facts::Collection, Refusal> {
        let name = checked_title(name)?;
        self.collections.insert(
            label,
            Collection { owner: caller.who, name, stamp: caller.stamp(), books: BTreeSet::new() },
        );
        Ok(self.own_collection(label, caller))
    }

    /// Renames a collection.
    pub fn update_collection(
        &mut self,
        caller: &Caller,
        id: Option<Id<label::Collection>>,
        name: Option<&str>,
    ) -> Result<facts::Collection, Refusal> {
        let label = self.find_collection(caller, id.ok_or_else(Refusal::bad)?)?;
        let name = name.map(|name| checked_title(Some(name))).transpose()?;
        let collection = self.collections.get_mut(&label).expect("it was just found");
        if let Some(name) = name.filter(|name| *name != collection.name) {
            collection.name = name;
            collection.stamp.updated = caller.now;
        }
        Ok(self.own_collection(label, caller))
    }

    /// Deletes a collection and returns it with its books, which stay.
    pub fn delete_collection(
        &mut self,
        caller: &Caller,
        id: Id<label::Collection>,
    ) -> Result<Vec<facts::Book>, Refusal> {
        let label = self.find_collection(caller, id)?;
        let books = self.own_collection(label, caller).books;
        self.collections.remove(&label);
        Ok(books)
    }

    /// Adds books. A book is in at most one collection of an owner, so it leaves the other one.
    pub fn add_books(
        &mut self,
        caller: &Caller,
        id: Id<label::Collection>,
        books: &[Option<label::Book>],
    ) -> Result<Vec<facts::Book>, Refusal> {
        let label = self.find_collection(caller, id)?;
        let books = named(books)?;
        let shown = books
            .iter()
            .map(|book| self.basic(*book, caller))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(Refusal::missing)?;
        for collection in self.collections.values_mut().filter(|one| one.owner == caller.who) {
            collection.books.retain(|book| !books.contains(book));
        }
        self.collections.get_mut(&label).expect("it was just found").books.extend(books);
        Ok(shown)
    }

    /// Removes books. Books that are not in it are ignored; inaccessible ones are removed but not
    /// shown.
    pub fn remove_books(
        &mut self,
        caller: &Caller,
        id: Id<label::Collection>,
        books: &[Option<label::Book>],
    ) -> Result<Vec<facts::Book>, Refusal> {
        let label = self.find_collection(caller, id)?;
        let collection = self.collections.get_mut(&label).expect("it was just found");
        let taken: Vec<label::Book> =
            named(books)?.into_iter().filter(|book| collection.books.remove(book)).collect();
        Ok(taken.into_iter().filter_map(|book| self.basic(book, caller)).collect())
    }

    /// The collection that a book shows: the reader's own, else the owner's. Only collaborators see
    /// the owner's, as VIEWERs and with the books in which they collaborate.
    pub fn collection_around(&self, book: &Book, caller: &Caller) -> Option<facts::Collection> {
        let holds = |who: usize| {
            self.collections
                .iter()
                .find(|(_, one)| one.owner == who && one.books.contains(&book.label))
        };
        if let Some((label, _)) = holds(caller.who) {
            return Some(self.own_collection(*label, caller));
        }
        let (label, collection) = holds(book.owner).filter(|_| self.collaborates(book, caller))?;
        let shared = collection
            .books
            .iter()
            .filter(|one| self.books.get(one).is_some_and(|book| self.collaborates(book, caller)));
        let shown = self.collection(*label, shared.copied(), caller);
        Some(facts::Collection { permission: Permission::Viewer, ..shown })
    }

    /// Whether the caller collaborates in a book. Other readers of a PUBLIC book do not see its
    /// collaborators (7.3).
    pub fn collaborates(&self, book: &Book, caller: &Caller) -> bool {
        book.collaborators.values().any(|one| one.email == self.users[caller.who].email)
    }

    fn own_collection(&self, label: label::Collection, caller: &Caller) -> facts::Collection {
        let collection = &self.collections[&label];
        self.collection(label, collection.books.iter().copied(), caller)
    }

    fn collection(
        &self,
        label: label::Collection,
        books: impl Iterator<Item = label::Book>,
        caller: &Caller,
    ) -> facts::Collection {
        let Collection { owner, name, stamp, .. } = self.collections[&label].clone();
        let mut books: Vec<facts::Book> =
            books.filter_map(|book| self.basic(book, caller)).collect();
        books.sort_by_key(|book| (book.settings.name.to_lowercase(), book.label));
        let owner = self.users[owner].username.clone();
        facts::Collection { label, owner, permission: Permission::Owner, name, books, stamp }
    }

    /// A book alone, if the caller may read it.
    fn basic(&self, book: label::Book, caller: &Caller) -> Option<facts::Book> {
        let book = self.books.get(&book)?;
        let permission = self.permission(book, caller.who)?;
        Some(self.shown(book, permission, caller))
    }

    /// Finds an own collection; one of another user is reported as missing.
    fn find_collection(
        &self,
        caller: &Caller,
        id: Id<label::Collection>,
    ) -> Result<label::Collection, Refusal> {
        let own = |label: &label::Collection| {
            self.collections.get(label).is_some_and(|one| one.owner == caller.who)
        };
        id.known().filter(own).ok_or_else(Refusal::missing)
    }
}

/// Removes duplicates; every book needs an id.
fn named(books: &[Option<label::Book>]) -> Result<Vec<label::Book>, Refusal> {
    let mut named: Vec<label::Book> = Vec::new();
    for book in books {
        let book = book.ok_or_else(Refusal::bad)?;
        if !named.contains(&book) {
            named.push(book);
        }
    }
    Ok(named)
}
