//! Checks the chain of events (behaviour 8.15).

use crate::book::copy::CopySummary;
use crate::event::{Event, Hash, Head, public_id};
use crate::id::{BookKey, TransactionId};

use super::finding::{Finding, FindingKind, Findings};

/// An event as stored in its row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditedEvent {
    /// Its number in the book.
    pub sequence: i64,
    /// The event; `None` if the row is not a valid event. If several events share a row, only the
    /// hash of the last one is stored; those of the others are computed.
    pub event: Option<Event>,
}

/// Checks events in order. Each is checked against the stored hash of the previous event, not
/// against a computed hash, so that a forged event does not invalidate all later ones.
#[derive(Debug)]
pub struct ChainCheck<'k> {
    key: &'k BookKey,
    last: i64,
    /// The hash of the previous event; `None` if that is missing or invalid.
    previous: Option<Hash>,
    checked: i64,
    /// The summary of the copied transactions in the first event of a copy (behaviour 6.20).
    copied: Option<String>,
    findings: Findings,
    /// Findings about transactions that have events but no row.
    missing_rows: Findings,
    /// The last of these transactions.
    last_missing_row: Option<i64>,
}

impl<'k> ChainCheck<'k> {
    /// Begins before the first event of the book.
    pub fn new(key: &'k BookKey) -> Self {
        Self {
            key,
            last: 0,
            previous: Some(Hash::ZERO),
            checked: 0,
            copied: None,
            findings: Findings::default(),
            missing_rows: Findings::default(),
            last_missing_row: None,
        }
    }

    /// Checks the next event; the events must be in the order of their numbers.
    pub fn check_next(&mut self, row: &AuditedEvent) {
        let AuditedEvent { sequence, event } = row;
        self.checked = self.checked.saturating_add(1);
        let expected = self.last.saturating_add(1);
        // This includes a number that two rows have.
        if *sequence < expected {
            return self.add_event(*sequence, format!("a number from {expected}"), *sequence);
        }
        if *sequence > expected {
            self.add_missing(expected, sequence.saturating_sub(1));
            self.previous = None;
        }
        match (event, self.previous) {
            (Some(event), Some(previous)) => {
                let expected = event.hash_after(&previous, self.key);
                if expected != event.hash {
                    self.add_event(*sequence, expected, event.hash);
                }
            }
            // Its hash cannot be checked, because the previous event is missing. The next event is
            // checked against it.
            (Some(_), None) => {}
            (None, _) => self.add_event(*sequence, "an event", "unreadable row"),
        }
        if let (1, Some(event)) = (*sequence, event) {
            self.copied = CopySummary::find_in_event(&event.data).map(str::to_owned);
        }
        self.previous = event.as_ref().map(|event| event.hash);
        self.last = *sequence;
    }

    /// Adds a transaction that has an event but no row. Several such events in succession count
    /// once.
    pub fn add_missing_row(&mut self, transaction: i64) {
        if self.last_missing_row.replace(transaction) == Some(transaction) {
            return;
        }
        let id = TransactionId::new(transaction).to_string();
        self.missing_rows.add(Finding::new(FindingKind::Row, id, "a row", "none"));
    }

    /// Takes the findings about missing rows. They do not break the chain.
    pub fn take_missing_rows(&mut self) -> Findings {
        std::mem::take(&mut self.missing_rows)
    }

    /// Returns whether the book is a copy whose first event has a summary of the copied
    /// transactions.
    pub const fn has_copy_summary(&self) -> bool {
        self.copied.is_some()
    }

    /// Compares the copied transactions, as they were before their first change, with the summary
    /// in the first event.
    pub fn check_copied(&mut self, found: &CopySummary) {
        let found = found.canonical();
        if let Some(expected) = self.copied.take().filter(|expected| *expected != found) {
            let key = self.key.as_str();
            self.findings.add(Finding::new(FindingKind::Copied, key, expected, found));
        }
    }

    /// Compares the last event with the head in the book state; `None` if the hash of the head is
    /// invalid.
    pub fn check_head(&mut self, head: Option<Head>) {
        let Some(head) = head else {
            let expected = self.previous.map(|hash| hash.to_string()).unwrap_or_default();
            return self.add(FindingKind::EventHead, self.last, expected, "unreadable hash");
        };
        if head.sequence > self.last {
            self.add_missing(self.last.saturating_add(1), head.sequence);
        } else if head.sequence < self.last {
            self.add(FindingKind::EventHead, self.last, self.last, head.sequence);
        } else if let Some(last) = self.previous.filter(|last| *last != head.hash) {
            self.add(FindingKind::EventHead, self.last, last, head.hash);
        }
    }

    /// Returns the number of the last event.
    pub const fn sequence(&self) -> i64 {
        self.last
    }

    /// Returns the number of events.
    pub const fn checked(&self) -> i64 {
        self.checked
    }

    /// Returns the findings.
    pub fn into_findings(self) -> Findings {
        self.findings
    }

    fn add_event(&mut self, sequence: i64, expected: impl ToString, actual: impl ToString) {
        self.add(FindingKind::Event, sequence, expected, actual);
    }

    fn add(
        &mut self,
        kind: FindingKind,
        sequence: i64,
        expected: impl ToString,
        actual: impl ToString,
    ) {
        let [expected, actual] = [expected.to_string(), actual.to_string()];
        self.findings.add(Finding::new(kind, public_id(sequence, self.key), expected, actual));
    }

    fn add_missing(&mut self, from: i64, to: i64) {
        let expected =
            if from == to { format!("event {from}") } else { format!("events {from} to {to}") };
        self.add(FindingKind::EventMissing, from, expected, "none");
    }
}
