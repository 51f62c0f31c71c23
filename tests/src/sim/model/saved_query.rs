//! Saved queries, from behaviour 9.9.

use std::collections::BTreeMap;

use daybook_domain::event::EventType;

use super::{Book, Turn};
use crate::sim::body::Id;
use crate::sim::facts::{Refused, Resource, SavedQuery};
use crate::sim::label;

/// What a body says.
#[derive(Clone, Debug)]
pub struct Saying {
    pub title: Option<String>,
    pub query: Option<String>,
}

impl Book {
    /// By title, those of one title by their text, ignoring case.
    pub fn saved_in_order(&self) -> Vec<SavedQuery> {
        let mut saved: Vec<SavedQuery> = self.saved.values().cloned().collect();
        saved.sort_by_key(|one| (one.title.to_lowercase(), one.query.to_lowercase(), one.label));
        saved
    }

    pub fn saved_query(&self, id: Id<label::SavedQuery>) -> Result<SavedQuery, Refused> {
        let found = if let Id::Of(label) = id { self.saved.get(&label) } else { None };
        found.cloned().ok_or_else(Refused::missing)
    }
}

impl Turn {
    pub fn create_saved_query(
        &mut self,
        label: label::SavedQuery,
        saying: &Saying,
    ) -> Result<SavedQuery, Refused> {
        let empty = SavedQuery {
            label,
            title: String::new(),
            query: String::new(),
            stamp: self.caller.stamp(),
        };
        let saved = changed(&empty, saying)?;
        self.book.saved.insert(label, saved.clone());
        self.emit(EventType::QueryCreated, Resource::SavedQuery(label), BTreeMap::new());
        Ok(saved)
    }

    pub fn update_saved_query(
        &mut self,
        id: Option<Id<label::SavedQuery>>,
        saying: &Saying,
    ) -> Result<SavedQuery, Refused> {
        let before = self.book.saved_query(id.ok_or_else(Refused::bad)?)?;
        let mut after = changed(&before, saying)?;
        if after == before {
            return Ok(after);
        }
        after.stamp.updated = self.caller.now;
        let mut previous = BTreeMap::new();
        if before.title != after.title {
            previous.insert("title".to_owned(), before.title);
        }
        if before.query != after.query {
            previous.insert("query".to_owned(), before.query);
        }
        self.book.saved.insert(after.label, after.clone());
        self.emit(EventType::QueryUpdated, Resource::SavedQuery(after.label), previous);
        Ok(after)
    }

    pub fn delete_saved_query(&mut self, id: Id<label::SavedQuery>) -> Result<SavedQuery, Refused> {
        let doomed = self.book.saved_query(id)?;
        self.book.saved.remove(&doomed.label);
        self.emit(EventType::QueryDeleted, Resource::SavedQuery(doomed.label), BTreeMap::new());
        Ok(doomed)
    }
}

/// Both are kept as given; there must be a query.
fn changed(before: &SavedQuery, saying: &Saying) -> Result<SavedQuery, Refused> {
    let title = saying.title.clone().unwrap_or_else(|| before.title.clone());
    let query = saying.query.clone().unwrap_or_else(|| before.query.clone());
    if query.trim().is_empty() || query.len() > 8 * 1024 || title.chars().count() > 255 {
        return Err(Refused::bad());
    }
    Ok(SavedQuery { title, query, ..before.clone() })
}
