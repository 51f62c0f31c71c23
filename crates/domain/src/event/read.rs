//! Stored events with parsed data.

use super::Event;
use super::snapshot::{Snapshot, Unreadable};
use crate::json::{Json, Object};

/// An event with parsed data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadEvent {
    /// The event.
    pub event: Event,
    /// The snapshot of the resource.
    pub snapshot: Snapshot,
    /// The rest of the data: previous values, or the report of an audit.
    pub rest: Object,
}

impl ReadEvent {
    /// Returns the subject that decides who receives the event, if there is one.
    pub fn subject(&self) -> Option<String> {
        let text = match &self.snapshot {
            Snapshot::File(file) => file.object.get("name")?,
            Snapshot::Integration(object) => object.get("agentId")?,
            Snapshot::Transaction(_)
            | Snapshot::Account(_)
            | Snapshot::Group(_)
            | Snapshot::SavedQuery(_)
            | Snapshot::Book(_)
            | Snapshot::Collaborator(_)
            | Snapshot::Comment(_) => return None,
        };
        text.as_text().map(str::to_owned)
    }

    /// Parses the data of an event.
    ///
    /// # Errors
    /// [`Unreadable`] for data that this program does not write.
    pub fn new(event: Event, mut data: Object) -> Result<Self, Unreadable> {
        let object = data.remove("object").and_then(Json::into_object);
        let snapshot = Snapshot::read(event.kind.noun(), object.ok_or(Unreadable("object"))?)?;
        Ok(Self { event, snapshot, rest: data })
    }
}
