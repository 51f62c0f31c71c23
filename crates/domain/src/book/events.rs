//! The events of books (behaviour 8.1).

use super::copy::CopySummary;
use super::{Book, Deletion};
use crate::audit::Report;
use crate::event::{EventType, NewEvent, Previous, snapshot};

impl Book {
    /// BOOK_CREATED.
    #[must_use]
    pub fn created_event(&self) -> NewEvent {
        NewEvent::new(EventType::BookCreated, self.id.get(), snapshot::book(self))
    }

    /// BOOK_CREATED of a copy with transactions, with their summary beside the book itself
    /// (behaviour 6.20).
    #[must_use]
    pub fn copied_event(&self, summary: &CopySummary) -> NewEvent {
        NewEvent::with_report(
            EventType::BookCreated,
            self.id.get(),
            snapshot::book(self),
            ("copied", summary.object()),
        )
    }

    /// BOOK_UPDATED, with the previous values of the fields that changed.
    #[must_use]
    pub fn updated_event(&self, previous: &Previous) -> NewEvent {
        NewEvent::update(EventType::BookUpdated, self.id.get(), snapshot::book(self), previous)
    }

    /// BOOK_DELETED, the last event unless the book is restored (behaviour 6.22).
    #[must_use]
    pub fn deleted_event(&self) -> NewEvent {
        NewEvent::new(EventType::BookDeleted, self.id.get(), snapshot::book(self))
    }

    /// BOOK_UPDATED of a book that is restored, with the time of its deletion as what it was before
    /// (behaviour 6.22).
    #[must_use]
    pub fn restored_event(&self, deletion: &Deletion) -> NewEvent {
        let deleted_at = deletion.deleted_at.milliseconds().to_string();
        self.updated_event(&Previous::from([("deletedAt".to_owned(), deleted_at)]))
    }

    /// BOOK_AUDITED, with what the audit found beside the book itself (behaviour 6.7).
    #[must_use]
    pub fn audited_event(&self, report: &Report) -> NewEvent {
        NewEvent::with_report(
            EventType::BookAudited,
            self.id.get(),
            snapshot::book(self),
            ("audit", report.object()),
        )
    }
}
