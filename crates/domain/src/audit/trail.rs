//! Checks the chain of events (behaviour 8.15).

use crate::book::copy::CopySummary;
use crate::event::{Event, Hash, Head, public_id};
use crate::id::{BookKey, TransactionId};

use super::finding::{Finding, FindingKind, Findings};

/// An event as its row has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditedEvent {
    /// Its number in the book.
    pub sequence: i64,
    /// The event; `None` when the row cannot be one. Where several share a row, their hashes follow
    /// from what they say, but for that of the last one: it is as stored.
    pub event: Option<Event>,
}

/// Checks events in order. Each is checked against the stored hash of the one before it, not
/// against the hash that one should have, so that one forged event does not make all later ones
/// suspect.
#[derive(Debug)]
pub struct Trail<'k> {
    key: &'k BookKey,
    last: i64,
    /// The hash the next event is chained to; `None` when an event before it is missing or
    /// unreadable.
    previous: Option<Hash>,
    checked: i64,
    /// What the first event of a copy says of its transactions (behaviour 6.20).
    copied: Option<String>,
    findings: Findings,
    /// The transactions that events tell of and that have no row.
    lost: Findings,
    /// The last of them.
    last_lost: Option<i64>,
}

impl<'k> Trail<'k> {
    /// Begins before the first event of the book with that id.
    #[must_use]
    pub fn new(key: &'k BookKey) -> Self {
        let (previous, findings) = (Some(Hash::ZERO), Findings::default());
        let (copied, lost, last_lost) = (None, Findings::default(), None);
        Self { key, last: 0, previous, checked: 0, copied, findings, lost, last_lost }
    }

    /// Checks the next event; events come in the order of their numbers.
    pub fn check_next(&mut self, logged: &AuditedEvent) {
        let AuditedEvent { sequence, event } = logged;
        self.checked = self.checked.saturating_add(1);
        let expected = self.last.saturating_add(1);
        // Also one that two rows have.
        if *sequence < expected {
            return self.add(
                FindingKind::Event,
                *sequence,
                format!("a number from {expected}"),
                sequence.to_string(),
            );
        }
        if *sequence > expected {
            self.add_missing(expected, sequence.saturating_sub(1));
            self.previous = None;
        }
        match (event, self.previous) {
            (Some(event), Some(previous)) => {
                let expected = event.chained(&previous, self.key);
                if expected != event.hash {
                    self.add(
                        FindingKind::Event,
                        *sequence,
                        expected.to_string(),
                        event.hash.to_string(),
                    );
                }
            }
            // Its predecessor is lost, so it cannot be checked; it still serves to check the next.
            (Some(_), None) => {}
            (None, _) => {
                self.add(FindingKind::Event, *sequence, "an event", "unreadable row".to_owned())
            }
        }
        if let (1, Some(event)) = (*sequence, event) {
            self.copied = CopySummary::in_event(&event.data).map(str::to_owned);
        }
        self.previous = event.as_ref().map(|event| event.hash);
        self.last = *sequence;
    }

    /// Adds a transaction that an event tells of and that has no row. Events that follow one
    /// another count once.
    pub fn add_lost(&mut self, transaction: i64) {
        if self.last_lost.replace(transaction) == Some(transaction) {
            return;
        }
        let id = TransactionId::new(transaction).to_string();
        self.lost.add(Finding::new(FindingKind::Row, id, "a row", "none"));
    }

    /// Findings about rows. They do not break the chain.
    pub fn take_lost(&mut self) -> Findings {
        std::mem::take(&mut self.lost)
    }

    /// Whether the book is a copy whose log says what it was copied with.
    #[must_use]
    pub const fn is_of_copy(&self) -> bool {
        self.copied.is_some()
    }

    /// Compares the transactions that the book was copied with, as they are now or were before
    /// their first change, with what its log says.
    pub fn check_copied(&mut self, found: &CopySummary) {
        let found = found.canonical();
        if let Some(said) = self.copied.take().filter(|said| *said != found) {
            let key = self.key.as_str();
            self.findings.add(Finding::new(FindingKind::Copied, key, said, found));
        }
    }

    /// Compares the last event with the head in the book state; `None` when that has no readable
    /// hash.
    pub fn check_head(&mut self, head: Option<Head>) {
        let Some(head) = head else {
            let expected = self.previous.map(|hash| hash.to_string()).unwrap_or_default();
            return self.add(
                FindingKind::EventHead,
                self.last,
                expected,
                "unreadable hash".to_owned(),
            );
        };
        if head.sequence > self.last {
            self.add_missing(self.last.saturating_add(1), head.sequence);
        } else if head.sequence < self.last {
            self.add(
                FindingKind::EventHead,
                self.last,
                self.last.to_string(),
                head.sequence.to_string(),
            );
        } else if let Some(last) = self.previous.filter(|last| *last != head.hash) {
            self.add(FindingKind::EventHead, self.last, last.to_string(), head.hash.to_string());
        }
    }

    /// The number of the last event read.
    #[must_use]
    pub const fn sequence(&self) -> i64 {
        self.last
    }

    /// How many events were read.
    #[must_use]
    pub const fn checked(&self) -> i64 {
        self.checked
    }

    /// The findings.
    #[must_use]
    pub fn into_findings(self) -> Findings {
        self.findings
    }

    fn add(
        &mut self,
        kind: FindingKind,
        sequence: i64,
        expected: impl Into<String>,
        actual: String,
    ) {
        self.findings.add(Finding::new(kind, public_id(sequence, self.key), expected, actual));
    }

    fn add_missing(&mut self, from: i64, to: i64) {
        let expected =
            if from == to { format!("event {from}") } else { format!("events {from} to {to}") };
        self.add(FindingKind::EventMissing, from, expected, "none".to_owned());
    }
}
