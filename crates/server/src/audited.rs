//! The audit of all books of a database, for backups and moves.

use anyhow::Context;
use daybook_domain::audit::{AuditedEvent, Report};
use daybook_domain::event::Hash;
use daybook_domain::id::BookKey;
use daybook_service::{Result, audit};
use daybook_storage::{Address, ReadOnlyStore};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::progress::Progress;

/// The result of an audit of all books.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuditSummary {
    pub(crate) books: u64,
    pub(crate) transactions: i64,
    pub(crate) events: i64,
    pub(crate) findings: i64,
    /// The first finding, as a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) first_finding: Option<String>,
    /// The SHA-256 of the id, the last number and the last hash of the log of each book.
    pub(crate) heads: String,
}

/// The last number and the last hash of the log of a book; nothing for a book without events.
pub(crate) type LogEnd = Option<(i64, Option<Hash>)>;

/// A running summary of audits, to which books are added in the order of their ids.
pub(crate) struct AuditSum {
    summary: AuditSummary,
    heads: Sha256,
}

impl AuditSum {
    /// Creates an empty sum.
    pub(crate) fn new() -> Self {
        let summary = AuditSummary {
            books: 0,
            transactions: 0,
            events: 0,
            findings: 0,
            first_finding: None,
            heads: String::new(),
        };
        Self { summary, heads: Sha256::new() }
    }

    /// Adds the audit of a book; `None` if the book has no state or no owner.
    pub(crate) fn add(&mut self, book: &BookKey, end: LogEnd, report: Option<&Report>) {
        let Self { summary, heads } = self;
        summary.books = summary.books.saturating_add(1);
        heads.update(format!("{book} {end:?}\n"));
        let (findings, first) = match report {
            Some(report) => {
                summary.transactions =
                    summary.transactions.saturating_add(report.transactions_checked);
                summary.events = summary.events.saturating_add(report.events_checked);
                let first = report.findings.all().next().map(|found| {
                    let (kind, resource) = (found.kind.as_str(), &found.resource);
                    format!("{kind} in book {book}: {resource}")
                });
                (report.findings.count(), first)
            }
            None => (1, Some(format!("book {book} has no state or no owner"))),
        };
        summary.findings = summary.findings.saturating_add(findings);
        if summary.first_finding.is_none() {
            summary.first_finding = first;
        }
    }

    pub(crate) fn finish(self) -> AuditSummary {
        AuditSummary { heads: format!("{:x}", self.heads.finalize()), ..self.summary }
    }
}

/// Notes an event of an audit as the end of the log so far.
pub(crate) fn note_end(end: &mut LogEnd, event: &AuditedEvent) {
    *end = Some((event.sequence, event.event.as_ref().map(|event| event.hash)));
}

/// Audits all books of a database, and shows the progress of this step.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn audit_database(
    address: &Address,
    step: &'static str,
) -> anyhow::Result<AuditSummary> {
    let mut store = ReadOnlyStore::open(address).context("the database cannot be opened")?;
    let mut progress = Progress::new(step);
    let (mut sum, mut books) = (AuditSum::new(), BookPages::default());
    while let Some(book) = books.next(&mut store)? {
        let mut end = None;
        let mut each = |event: &AuditedEvent| note_end(&mut end, event);
        let examined: Result<_> = store.read(|tx| audit::examine(tx, &book, &mut each));
        sum.add(&book, end, examined?.as_ref());
        progress.show(&format!("{} events", sum.summary.events));
    }
    Ok(sum.finish())
}

/// The books of a database in the order of their ids, read in pages.
#[derive(Default)]
pub(crate) struct BookPages {
    page: std::vec::IntoIter<BookKey>,
    after: Option<BookKey>,
    has_ended: bool,
}

impl BookPages {
    /// Returns the next book without taking it.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(crate) fn peek(&mut self, store: &mut ReadOnlyStore) -> anyhow::Result<Option<BookKey>> {
        while self.page.as_slice().is_empty() && !self.has_ended {
            let page: Result<_> = store.read(|tx| audit::list_books(tx, self.after.as_ref()));
            let (page, last) = page?;
            self.page = page.into_iter();
            self.has_ended = last.is_none();
            self.after = last.or_else(|| self.after.take());
        }
        Ok(self.page.as_slice().first().cloned())
    }

    /// Takes the next book.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(crate) fn next(&mut self, store: &mut ReadOnlyStore) -> anyhow::Result<Option<BookKey>> {
        self.peek(store)?;
        Ok(self.page.next())
    }
}
