//! Lists of events, from behaviour 2.2, 2.6 and 8.5.

use daybook_domain::delivery::ResponseKind;
use daybook_domain::event::EventType;

use super::{Caller, Model, may};
use crate::sim::facts::{Event, EventView, Refusal, Resource};
use crate::sim::label;

/// The filter of an event list.
#[derive(Clone, Debug)]
pub struct Filter {
    /// In milliseconds, inclusive.
    pub after: Option<i64>,
    /// In milliseconds, exclusive.
    pub before: Option<i64>,
    pub error: Option<bool>,
    pub resource: Option<Resource>,
    pub kind: Option<EventType>,
}

impl Model {
    /// Lists events in pages, newest first.
    pub fn list_events(
        &self,
        book: label::Book,
        caller: &Caller,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Vec<EventView>>, Refusal> {
        let (found, _) = self.enter(book, caller, may::READ)?;
        let insider = self.collaborates(found, caller);
        let seen = |event: &&Event| insider || !matches!(event.resource, Resource::Collaborator(_));
        let log = self.logs[&book].iter().rev();
        let shown = |event: &Event| EventView {
            event: event.clone(),
            responses: self.responses(book, event.sequence),
        };
        let found: Vec<EventView> =
            log.filter(seen).map(shown).filter(|seen| filter.takes(seen)).collect();
        // The default and the maximum page size.
        let limit = if limit == 0 { 50 } else { limit.min(200) };
        Ok(pages(found, limit))
    }
}

impl Filter {
    fn takes(&self, seen: &EventView) -> bool {
        let event = &seen.event;
        if self.after.is_some_and(|after| event.at < after)
            || self.before.is_some_and(|before| event.at >= before)
        {
            return false;
        }
        match (self.resource, self.error) {
            (Some(resource), _) => event.resource == resource,
            (None, Some(error)) => {
                error == seen.responses.iter().any(|one| one.kind == ResponseKind::Error)
            }
            (None, None) => self.kind.is_none_or(|kind| event.kind == kind),
        }
    }
}

/// Splits a list into pages; an empty list is one empty page.
pub fn pages<T: Clone>(items: Vec<T>, limit: usize) -> Vec<Vec<T>> {
    if items.is_empty() {
        vec![Vec::new()]
    } else {
        items.chunks(limit).map(<[T]>::to_vec).collect()
    }
}
