//! Lists of events, from behaviour 2.2, 2.6 and 8.5.

use daybook_domain::delivery::ResponseKind;
use daybook_domain::event::EventType;

use super::{Caller, Model, may};
use crate::sim::facts::{Event, EventView, Refusal, Resource};

/// The filter of an event list.
#[derive(Clone, Debug, Default)]
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
    /// Lists events, newest first.
    pub fn list_events(&self, caller: &Caller, filter: &Filter) -> Result<Vec<EventView>, Refusal> {
        let (found, _) = self.enter(caller, may::READ)?;
        let insider = self.collaborates(found, caller);
        let seen = |event: &&Event| insider || !is_internal(event.resource);
        let log = self.logs[&caller.book].iter().rev();
        let shown = |event: &Event| EventView {
            event: event.clone(),
            responses: self.responses(caller.book, event.sequence),
        };
        Ok(log.filter(seen).map(shown).filter(|seen| filter.takes(seen)).collect())
    }
}

/// Whether only collaborators see the events of a resource (7.3, 3.14.2).
pub(super) const fn is_internal(resource: Resource) -> bool {
    matches!(resource, Resource::Collaborator(_) | Resource::Comment(_))
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
