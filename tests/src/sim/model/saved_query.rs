//! Saved queries, from behaviour 9.9.

use daybook_domain::event::EventType;

use super::{Book, Tx};
use crate::sim::body::Id;
use crate::sim::facts::{Refusal, Resource, SavedQuery};
use crate::sim::label;

/// The fields of a body.
#[derive(Clone, Debug)]
pub struct SavedQueryBody {
    pub title: Option<String>,
    pub query: Option<String>,
}

impl Book {
    /// Lists saved queries by title, then by text, ignoring case.
    pub fn saved_in_order(&self) -> Vec<SavedQuery> {
        let mut saved: Vec<SavedQuery> = self.saved.values().cloned().collect();
        saved.sort_by_key(|one| (one.title.to_lowercase(), one.query.to_lowercase(), one.label));
        saved
    }

    pub fn saved_query(&self, id: Id<label::SavedQuery>) -> Result<SavedQuery, Refusal> {
        let found = id.known().and_then(|label| self.saved.get(&label));
        found.cloned().ok_or_else(Refusal::missing)
    }
}

impl Tx {
    pub fn create_saved_query(
        &mut self,
        label: label::SavedQuery,
        body: &SavedQueryBody,
    ) -> Result<SavedQuery, Refusal> {
        let empty = SavedQuery {
            label,
            title: String::new(),
            query: String::new(),
            stamp: self.caller.stamp(),
        };
        let saved = changed(&empty, body)?;
        self.book.saved.insert(label, saved.clone());
        self.emit(EventType::QueryCreated, Resource::SavedQuery(label));
        Ok(saved)
    }

    pub fn update_saved_query(
        &mut self,
        id: Option<Id<label::SavedQuery>>,
        body: &SavedQueryBody,
    ) -> Result<SavedQuery, Refusal> {
        let before = self.book.saved_query(id.ok_or_else(Refusal::bad)?)?;
        let mut after = changed(&before, body)?;
        if after == before {
            return Ok(after);
        }
        after.stamp.updated = self.caller.now;
        self.book.saved.insert(after.label, after.clone());
        self.emit(EventType::QueryUpdated, Resource::SavedQuery(after.label));
        Ok(after)
    }

    pub fn delete_saved_query(&mut self, id: Id<label::SavedQuery>) -> Result<SavedQuery, Refusal> {
        let doomed = self.book.saved_query(id)?;
        self.book.saved.remove(&doomed.label);
        self.emit(EventType::QueryDeleted, Resource::SavedQuery(doomed.label));
        Ok(doomed)
    }
}

/// Applies a body. Both fields are stored as given; the query is required.
fn changed(before: &SavedQuery, body: &SavedQueryBody) -> Result<SavedQuery, Refusal> {
    let title = body.title.clone().unwrap_or_else(|| before.title.clone());
    let query = body.query.clone().unwrap_or_else(|| before.query.clone());
    if query.trim().is_empty() || query.len() > 8 * 1024 || title.chars().count() > 255 {
        return Err(Refusal::bad());
    }
    Ok(SavedQuery { title, query, ..before.clone() })
}
