//! The events of books (behaviour 8.1).

use super::copy::CopySummary;
use super::{Book, Deletion};
use crate::audit::Report;
use crate::event::{EventType, NewEvent, Previous, snapshot};

impl Book {
    /// Creates BOOK_CREATED.
    pub fn created_event(&self) -> NewEvent {
        NewEvent::new(EventType::BookCreated, self.id.get(), snapshot::book(self))
    }

    /// Creates BOOK_CREATED of a copy with a summary of its transactions (behaviour 6.20).
    pub fn copied_event(&self, summary: &CopySummary) -> NewEvent {
        NewEvent::with_report(
            EventType::BookCreated,
            self.id.get(),
            snapshot::book(self),
            "copied",
            summary.object(),
        )
    }

    /// Creates BOOK_UPDATED with the previous values of the changed fields.
    pub fn updated_event(&self, previous: &Previous) -> NewEvent {
        NewEvent::update(EventType::BookUpdated, self.id.get(), snapshot::book(self), previous)
    }

    /// Creates BOOK_DELETED, the last event unless the book is restored (behaviour 6.22).
    pub fn deleted_event(&self) -> NewEvent {
        NewEvent::new(EventType::BookDeleted, self.id.get(), snapshot::book(self))
    }

    /// Creates BOOK_UPDATED of a restored book with the time of its deletion as a previous value
    /// (behaviour 6.22).
    pub fn restored_event(&self, deletion: &Deletion) -> NewEvent {
        let deleted_at = deletion.deleted_at.milliseconds().to_string();
        self.updated_event(&Previous::from([("deletedAt".to_owned(), deleted_at)]))
    }

    /// Creates BOOK_AUDITED with the report of the audit (behaviour 6.7).
    pub fn audited_event(&self, report: &Report) -> NewEvent {
        NewEvent::with_report(
            EventType::BookAudited,
            self.id.get(),
            snapshot::book(self),
            "audit",
            report.object(),
        )
    }
}
