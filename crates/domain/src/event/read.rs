//! Events read back from storage.

use super::Event;
use super::snapshot::{Snapshot, Unreadable};
use crate::json::{Json, Object};

/// An event whose data has been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadEvent {
    /// The event.
    pub event: Event,
    /// The resource as it stood.
    pub snapshot: Snapshot,
    /// What its data holds besides: previous attributes, the report of an audit.
    pub rest: Object,
}

impl ReadEvent {
    /// What it is about, where that says who receives it.
    #[must_use]
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
            | Snapshot::Other(_) => return None,
        };
        text.as_text().map(str::to_owned)
    }

    /// Reads an event's data, which is given as parsed JSON.
    ///
    /// # Errors
    /// [`Unreadable`], when it is not as [`NewEvent`] wrote it.
    pub fn new(event: Event, mut data: Object) -> Result<Self, Unreadable> {
        let object = data.take("object").and_then(Json::into_object);
        let snapshot = Snapshot::read(event.kind.noun(), object.ok_or(Unreadable("object"))?)?;
        Ok(Self { event, snapshot, rest: data })
    }
}
