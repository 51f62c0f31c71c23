//! The events of books (behaviour 8.1).

use super::Book;
use super::copy::CopySummary;
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
