//! References to accounts and groups, and their names, from behaviour 3.2.6, 4.3 - 4.5, 4.20 and
//! 4.21.

use std::collections::BTreeMap;

use super::each;
use super::text::{checked_name, normalized};
use crate::sim::body::{Id, Named};
use crate::sim::facts::{Account, Group, Refusal};
use crate::sim::label;

/// An account or a group.
pub trait Entry {
    type Label: Copy + Ord;

    fn label(&self) -> Self::Label;
    fn name(&self) -> &str;
}

impl Entry for Account {
    type Label = label::Account;

    fn label(&self) -> label::Account {
        self.label
    }

    fn name(&self) -> &str {
        &self.name
    }
}

impl Entry for Group {
    type Label = label::Group;

    fn label(&self) -> label::Group {
        self.label
    }

    fn name(&self) -> &str {
        &self.name
    }
}

/// The accounts or the groups of a book.
pub type Entries<E> = BTreeMap<<E as Entry>::Label, E>;

/// Resolves a reference: the id first, then the normalized name (3.2.6, 4.4).
pub fn find<'e, E: Entry>(entries: &'e Entries<E>, named: &Named<E::Label>) -> Option<&'e E> {
    let by_id = named.id.and_then(Id::known).and_then(|label| entries.get(&label));
    by_id.or_else(|| called(entries, named.name.as_deref()?))
}

fn called<'e, E: Entry>(entries: &'e Entries<E>, name: &str) -> Option<&'e E> {
    let name = normalized(name);
    entries.values().find(|entry| normalized(entry.name()) == name)
}

/// Whether a reference names nothing (3.2.6).
pub fn is_blank<L>(named: &Named<L>) -> bool {
    named.id.is_none() && named.name.as_deref().is_none_or(|name| normalized(name).is_empty())
}

/// Resolves references before any change: an empty one is 400, an unknown one 404 (4.20).
pub fn resolve<E: Entry>(
    entries: &Entries<E>,
    all: &[Named<E::Label>],
) -> Result<Vec<E::Label>, Refusal> {
    let found = each(all, |named| {
        if is_blank(named) { Err(Refusal::bad()) } else { Ok(find(entries, named).map(E::label)) }
    })?;
    found.into_iter().collect::<Option<Vec<_>>>().ok_or_else(Refusal::missing)
}

/// The reference of an update. A name beside an id is a new name (4.21).
pub fn target<L: Copy>(id: Option<Id<L>>, name: &Option<String>) -> Named<L> {
    Named { id, name: name.clone().filter(|_| id.is_none()) }
}

/// Refuses a name that another account or group of the book has (4.5).
pub fn check_free<E: Entry>(
    entries: &Entries<E>,
    name: Option<&str>,
    own: Option<E::Label>,
) -> Result<(), Refusal> {
    let found = name.and_then(|name| called(entries, name));
    let taken = found.is_some_and(|entry| Some(entry.label()) != own);
    if taken { Err(Refusal::bad()) } else { Ok(()) }
}

/// The name after an update: only a body with an id renames (4.21).
pub fn renamed<L>(before: &str, id: Option<Id<L>>, name: Option<&str>) -> Result<String, Refusal> {
    match name.filter(|_| id.is_some()) {
        Some(name) => checked_name(Some(name)),
        None => Ok(before.to_owned()),
    }
}

/// The entries by normalized name (4.19).
pub fn by_name<E: Entry + Clone>(entries: &Entries<E>) -> Vec<E> {
    let mut all: Vec<E> = entries.values().cloned().collect();
    all.sort_by_key(|entry| normalized(entry.name()));
    all
}
