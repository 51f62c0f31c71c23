//! Checks of the event log by a reader.
//!
//! The log is a chain of hashes (8.15): the hash of an event covers the hash before it and the
//! canonical event, with its data as stored. The API shows events as reads do: with today's names
//! and derived fields, and without the stored data and the id of the user. So a reader cannot
//! compute a hash again.
//!
//! A reader can check that the history has no gaps, and that events noted earlier have the same
//! hashes: a change of an event changes the hashes of all later ones. The server's own audit
//! ([`Book::audit`]) computes all hashes.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::book::Book;
use crate::error::{Error, Result};
use crate::parameters::ListEvents;
use crate::types::{Audit, Event, EventType, LogHead};

/// How often the end of an audit is looked for.
const AUDIT_POLL: Duration = Duration::from_millis(500);

/// The result of [`Book::verify_chain`].
///
/// ```
/// use daybook_client::ChainReport;
///
/// assert!(ChainReport::default().is_intact());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChainReport {
    /// Number of events.
    pub events: u64,
    /// Number and hash of the last event. Note them, to check them later.
    pub head: Option<(i64, String)>,
    /// The fault.
    pub faults: Vec<ChainFault>,
}

impl ChainReport {
    /// Returns whether nothing is wrong.
    ///
    /// ```
    /// assert!(daybook_client::ChainReport::default().is_intact());
    /// ```
    #[must_use]
    pub const fn is_intact(&self) -> bool {
        self.faults.is_empty()
    }
}

/// A fault of the event log.
///
/// ```
/// use daybook_client::ChainFault;
///
/// assert_eq!(ChainFault::Missing { from: 3, to: 4 }.to_string(), "events 3 to 4 are missing");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChainFault {
    /// Numbers are missing: removed events, or events that this reader may not see (7.3).
    #[error("events {from} to {to} are missing")]
    Missing {
        /// The first number.
        from: i64,
        /// The last number.
        to: i64,
    },
    /// An event stands at the wrong place, twice, or has an id that is not its number (8.17).
    #[error("event {sequence} is out of order or has a wrong id")]
    Misplaced {
        /// The number of the event.
        sequence: i64,
    },
    /// An event is earlier than the one before (8.18).
    #[error("event {sequence} is earlier than the event before it")]
    Earlier {
        /// The number of the event.
        sequence: i64,
    },
    /// A hash is not one, or two events have the same.
    #[error("event {sequence} has an invalid hash")]
    InvalidHash {
        /// The number of the event.
        sequence: i64,
    },
    /// A noted event has another hash, or is gone: this or an earlier event has been changed.
    #[error("event {sequence} had the hash {noted} and now has {now}")]
    Changed {
        /// The number of the event.
        sequence: i64,
        /// The noted hash.
        noted: String,
        /// The hash now; empty without such an event.
        now: String,
    },
}

impl Book {
    /// Reads the whole event log and checks its numbers, ids, times and hashes.
    ///
    /// `noted` are numbers and hashes of earlier reports, of closings (13.13) and of printed
    /// reports: each must still be in the log. What this proves, and what it cannot, is said in
    /// [`ChainReport`]; add [`audit`](Self::audit) for the hashes themselves. Requires that the
    /// reader may see all events (7.3).
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let book = client.book(&example.book);
    /// let before = book.verify_chain([]).await?;
    /// assert!(before.is_intact());
    /// let noted = before.head.expect("a book has an event");
    ///
    /// // Later, perhaps on another machine:
    /// assert!(book.verify_chain([noted.clone()]).await?.is_intact());
    /// let forged = (noted.0, "0".repeat(64));
    /// assert!(!book.verify_chain([forged]).await?.is_intact());
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// [`Error`].
    pub async fn verify_chain(
        &self,
        noted: impl IntoIterator<Item = (i64, String)>,
    ) -> Result<ChainReport> {
        let mut events = self.events(ListEvents::default());
        let mut check = Check::new(self.id(), noted.into_iter().collect());
        while let Some(event) = events.next().await {
            check.add(&event?);
        }
        Ok(check.finish())
    }

    /// Has the server recount the book and recompute all hashes, and waits for the result (6.7).
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let audit = client.book(&example.book).audit().await?;
    /// assert!(audit.chain_intact && audit.balances_match);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// [`Error`].
    pub async fn audit(&self) -> Result<Audit> {
        let audited = ListEvents {
            kind: Some(EventType::BookAudited),
            limit: Some(1),
            ..ListEvents::default()
        };
        let newest = |events: Vec<Event>| events.into_iter().next();
        let before = newest(self.list_events(&audited).await?.items);
        let before = before.map_or(0, |event| event.sequence);
        self.audit_book().await?;
        loop {
            let event = newest(self.list_events(&audited).await?.items);
            if let Some(event) = event.filter(|event| event.sequence > before) {
                let missing = || Error::Invalid("the audit has no result".to_owned());
                return event.data.audit.ok_or_else(missing);
            }
            tokio::time::sleep(AUDIT_POLL).await;
        }
    }
}

impl From<LogHead> for (i64, String) {
    fn from(head: LogHead) -> Self {
        (head.sequence, head.hash)
    }
}

/// The check of events from the last to the first.
struct Check<'a> {
    book: &'a str,
    noted: BTreeMap<i64, String>,
    report: ChainReport,
    /// The event after the next one: number, time and hash.
    later: Option<(i64, u64, String)>,
}

impl<'a> Check<'a> {
    fn new(book: &'a str, noted: BTreeMap<i64, String>) -> Self {
        Self { book, noted, report: ChainReport::default(), later: None }
    }

    fn add(&mut self, event: &Event) {
        let sequence = event.sequence;
        let is_hash = event.hash.len() == 64
            && event.hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if let Some((later, time, hash)) = &self.later {
            let (later, expected) = (*later, later.saturating_sub(1));
            if sequence < expected {
                let from = sequence.saturating_add(1);
                self.report.faults.push(ChainFault::Missing { from, to: expected });
            } else if sequence > expected {
                self.report.faults.push(ChainFault::Misplaced { sequence });
            }
            if event.created_at.0 > *time {
                self.report.faults.push(ChainFault::Earlier { sequence: later });
            }
            if event.hash == *hash {
                self.report.faults.push(ChainFault::InvalidHash { sequence: later });
            }
        } else {
            self.report.head = Some((sequence, event.hash.clone()));
        }
        if event.id != format!("{sequence:012x}{}", self.book) {
            self.report.faults.push(ChainFault::Misplaced { sequence });
        }
        if !is_hash {
            self.report.faults.push(ChainFault::InvalidHash { sequence });
        }
        if let Some(noted) = self.noted.remove(&sequence)
            && noted != event.hash
        {
            let now = event.hash.clone();
            self.report.faults.push(ChainFault::Changed { sequence, noted, now });
        }
        self.report.events = self.report.events.saturating_add(1);
        self.later = Some((sequence, event.created_at.0, event.hash.clone()));
    }

    fn finish(mut self) -> ChainReport {
        let first = self.later.map_or(1, |(sequence, ..)| sequence);
        if first > 1 {
            let to = first.saturating_sub(1);
            self.report.faults.push(ChainFault::Missing { from: 1, to });
        }
        for (sequence, noted) in self.noted {
            let now = String::new();
            self.report.faults.push(ChainFault::Changed { sequence, noted, now });
        }
        self.report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timestamp::Timestamp;

    fn event(sequence: i64) -> Event {
        Event {
            id: format!("{sequence:012x}book"),
            sequence,
            hash: format!("{sequence:064x}"),
            created_at: Timestamp(1_000 + sequence.unsigned_abs()),
            ..Event::default()
        }
    }

    /// The report of these events, given from the first to the last.
    fn report(events: &[Event], noted: &[(i64, String)]) -> ChainReport {
        let mut check = Check::new("book", noted.iter().cloned().collect());
        events.iter().rev().for_each(|event| check.add(event));
        check.finish()
    }

    #[test]
    fn whole_log_is_intact() {
        let events: Vec<Event> = (1..=5).map(event).collect();
        let found = report(&events, &[(3, event(3).hash)]);
        assert_eq!(found.faults, []);
        assert_eq!((found.events, found.head), (5, Some((5, event(5).hash))));
    }

    #[test]
    fn each_fault_is_found() {
        let all = || -> Vec<Event> { (1..=5).map(event).collect() };
        let faults = |change: &dyn Fn(&mut Vec<Event>)| {
            let mut events = all();
            change(&mut events);
            report(&events, &[]).faults
        };
        assert_eq!(
            faults(&|events| drop(events.drain(1..3))),
            [ChainFault::Missing { from: 2, to: 3 }]
        );
        assert_eq!(
            faults(&|events| drop(events.drain(..2))),
            [ChainFault::Missing { from: 1, to: 2 }]
        );
        assert_eq!(
            faults(&|events| events[2].id = event(2).id),
            [ChainFault::Misplaced { sequence: 3 }]
        );
        assert_eq!(
            faults(&|events| events[2].created_at = Timestamp(1)),
            [ChainFault::Earlier { sequence: 3 }]
        );
        assert_eq!(
            faults(&|events| events[2].hash = "x".to_owned()),
            [ChainFault::InvalidHash { sequence: 3 }]
        );
        assert_eq!(
            faults(&|events| events.swap(1, 2)),
            [
                ChainFault::Missing { from: 3, to: 3 },
                ChainFault::Misplaced { sequence: 3 },
                ChainFault::Earlier { sequence: 2 },
                ChainFault::Missing { from: 2, to: 2 },
            ]
        );
    }

    #[test]
    fn noted_events_must_stay() {
        let events: Vec<Event> = (1..=2).map(event).collect();
        let noted = [(2, "a".repeat(64)), (9, "b".repeat(64))];
        let changed = |sequence, noted: &str, now: String| ChainFault::Changed {
            sequence,
            noted: noted.to_owned(),
            now,
        };
        assert_eq!(
            report(&events, &noted).faults,
            [
                changed(2, &"a".repeat(64), event(2).hash),
                changed(9, &"b".repeat(64), String::new())
            ]
        );
    }
}
