//! The audit of all books of a database, for backups and moves.

use daybook_domain::audit::AuditedEvent;
use daybook_domain::id::BookKey;
use daybook_service::{Result, audit};
use daybook_storage::ReadOnlyStore;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The result of an audit of all books.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuditSummary {
    /// The number of books.
    pub(crate) books: u64,
    /// The number of their transactions.
    pub(crate) transactions: i64,
    /// The number of their events.
    pub(crate) events: i64,
    /// The number of findings.
    pub(crate) findings: i64,
    /// The first finding, as a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) first_finding: Option<String>,
    /// The SHA-256 of the id, the last number and the last hash of the log of each book.
    pub(crate) heads: String,
}

/// Audits all books of a database. `progress` receives the number of events so far.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn audit_all(
    store: &mut ReadOnlyStore,
    progress: &mut dyn FnMut(i64),
) -> anyhow::Result<AuditSummary> {
    let (mut heads, mut pages) = (Sha256::new(), BookPages::default());
    let mut summary = AuditSummary {
        books: 0,
        transactions: 0,
        events: 0,
        findings: 0,
        first_finding: None,
        heads: String::new(),
    };
    while let Some(book) = pages.next(store)? {
        let mut head = None;
        let mut each = |event: &AuditedEvent| {
            head = Some((event.sequence, event.event.as_ref().map(|event| event.hash)));
        };
        let examined: Result<_> = store.read(|tx| audit::examine(tx, &book, &mut each));
        summary.books = summary.books.saturating_add(1);
        heads.update(format!("{book} {head:?}\n"));
        match examined? {
            Some(report) => {
                summary.transactions =
                    summary.transactions.saturating_add(report.transactions_checked);
                summary.events = summary.events.saturating_add(report.events_checked);
                let first = report.findings.all().next();
                summary.add(
                    report.findings.count(),
                    first.map(|found| {
                        let (kind, resource) = (found.kind.as_str(), &found.resource);
                        format!("{kind} in book {book}: {resource}")
                    }),
                );
            }
            None => summary.add(1, Some(format!("book {book} has no state or no owner"))),
        }
        progress(summary.events);
    }
    summary.heads = heads.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(summary)
}

impl AuditSummary {
    fn add(&mut self, findings: i64, first: Option<String>) {
        self.findings = self.findings.saturating_add(findings);
        if self.first_finding.is_none() {
            self.first_finding = first;
        }
    }
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
