//! Checks of the event log by a reader.
//!
//! The log is a chain of hashes (8.15): the hash of an event covers the hash before it and the
//! canonical event, with its data as stored. The server shows both, so a reader computes each hash
//! again, without trusting the server's audit ([`Book::audit`]).
//!
//! An operator of the server could write another chain with valid hashes. A hash that was noted
//! earlier detects this: a change of an event changes the hashes of all later ones.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::book::Book;
use crate::error::{Error, Result};
use crate::parameters::ListEvents;
use crate::timestamp::Timestamp;
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
    /// Number of hashes that were computed here.
    pub hashes: u64,
    /// Number and hash of the last event. Note them, to check them later.
    pub head: Option<(i64, String)>,
    /// The faults.
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
    /// The hash of an event is not that of its content and of the hash before: one of them has been
    /// changed.
    #[error("event {sequence} has the hash {shown}, but its content has {computed}")]
    WrongHash {
        /// The number of the event.
        sequence: i64,
        /// The hash that the server shows.
        shown: String,
        /// The hash of what the server shows as the content.
        computed: String,
    },
    /// An event is shown with values other than those that were hashed.
    #[error("event {sequence} is shown with other values than those that its hash covers")]
    OtherValues {
        /// The number of the event.
        sequence: i64,
    },
    /// The server does not show what the hashes of these events cover.
    #[error("the server does not show the canonical form of the events {from} to {to}")]
    NoCanonical {
        /// The first number.
        from: i64,
        /// The last number.
        to: i64,
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
    /// Reads the whole event log, computes all hashes, and checks numbers, ids and times.
    ///
    /// `noted` are numbers and hashes of earlier reports, of closings (13.13) and of printed
    /// reports: each must still be in the log. Requires that the reader may see all events (7.3).
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let book = client.book(&example.book);
    /// let before = book.verify_chain([]).await?;
    /// assert!(before.is_intact());
    /// assert_eq!(before.hashes, before.events);
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
        self.verify_chain_with_progress(noted, |_, _| {}).await
    }

    /// Checks the event log like [`verify_chain`](Self::verify_chain), and reports each event.
    ///
    /// `progress` gets the number of events that were checked, and of all events.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
    /// let book = client.book(&example.book);
    /// let mut last = (0, 0);
    /// book.verify_chain_with_progress([], |done, total| last = (done, total)).await?;
    /// assert_eq!(last.0, last.1);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    /// [`Error`].
    pub async fn verify_chain_with_progress(
        &self,
        noted: impl IntoIterator<Item = (i64, String)>,
        mut progress: impl FnMut(u64, u64),
    ) -> Result<ChainReport> {
        let shown = ListEvents { canonical: Some(true), ..ListEvents::default() };
        let mut events = self.events(shown);
        let mut check = Check::new(self.id(), noted.into_iter().collect());
        while let Some(event) = events.next().await {
            check.add(event?);
            let last = check.report.head.as_ref().map_or(0, |(last, _)| *last);
            progress(check.report.events, last.unsigned_abs());
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
    /// The event after the next one.
    later: Option<Link>,
}

/// The parts of an event that the check of the event before needs.
struct Link {
    sequence: i64,
    time: u64,
    hash: String,
    canonical: Option<String>,
}

impl<'a> Check<'a> {
    fn new(book: &'a str, noted: BTreeMap<i64, String>) -> Self {
        Self { book, noted, report: ChainReport::default(), later: None }
    }

    fn add(&mut self, event: Event) {
        let sequence = event.sequence;
        let hash = hash_bytes(&event.hash);
        match self.later.take() {
            Some(later) => {
                let expected = later.sequence.saturating_sub(1);
                if sequence < expected {
                    let from = sequence.saturating_add(1);
                    self.report.faults.push(ChainFault::Missing { from, to: expected });
                } else if sequence > expected {
                    self.report.faults.push(ChainFault::Misplaced { sequence });
                } else if let Some(hash) = hash {
                    self.compute(&later, hash);
                }
                if event.created_at.0 > later.time {
                    self.report.faults.push(ChainFault::Earlier { sequence: later.sequence });
                }
                if event.hash == later.hash {
                    self.report.faults.push(ChainFault::InvalidHash { sequence: later.sequence });
                }
            }
            None => self.report.head = Some((sequence, event.hash.clone())),
        }
        if event.id != format!("{sequence:012x}{}", self.book) {
            self.report.faults.push(ChainFault::Misplaced { sequence });
        }
        if hash.is_none() {
            self.report.faults.push(ChainFault::InvalidHash { sequence });
        }
        match &event.canonical {
            Some(canonical) if !is_shown(canonical, &event) => {
                self.report.faults.push(ChainFault::OtherValues { sequence });
            }
            Some(_) => {}
            None => self.add_without_canonical(sequence),
        }
        if let Some(noted) = self.noted.remove(&sequence)
            && noted != event.hash
        {
            let now = event.hash.clone();
            self.report.faults.push(ChainFault::Changed { sequence, noted, now });
        }
        self.report.events = self.report.events.saturating_add(1);
        let Event { created_at, hash, canonical, .. } = event;
        self.later = Some(Link { sequence, time: created_at.0, hash, canonical });
    }

    /// Compares the hash of an event with that of its content and the hash before it.
    fn compute(&mut self, link: &Link, previous: [u8; 32]) {
        let Some(canonical) = &link.canonical else { return };
        // An invalid hash is a fault of its own.
        let Some(shown) = hash_bytes(&link.hash) else { return };
        let mut digest = Sha256::new();
        digest.update(previous);
        digest.update(canonical);
        let computed: [u8; 32] = digest.finalize().into();
        self.report.hashes = self.report.hashes.saturating_add(1);
        if computed != shown {
            let computed = computed.iter().map(|byte| format!("{byte:02x}")).collect();
            let (sequence, shown) = (link.sequence, link.hash.clone());
            self.report.faults.push(ChainFault::WrongHash { sequence, shown, computed });
        }
    }

    /// Adds an event without its canonical form, to the range of the events after it.
    fn add_without_canonical(&mut self, sequence: i64) {
        for fault in self.report.faults.iter_mut().rev() {
            if let ChainFault::NoCanonical { from, .. } = fault
                && *from == sequence.saturating_add(1)
            {
                *from = sequence;
                return;
            }
        }
        self.report.faults.push(ChainFault::NoCanonical { from: sequence, to: sequence });
    }

    fn finish(mut self) -> ChainReport {
        let first = self.later.as_ref().map_or(1, |link| link.sequence);
        if first > 1 {
            let to = first.saturating_sub(1);
            self.report.faults.push(ChainFault::Missing { from: 1, to });
        }
        if let Some(link) = self.later.take().filter(|link| link.sequence == 1) {
            self.compute(&link, [0; 32]);
        }
        for (sequence, noted) in self.noted {
            let now = String::new();
            self.report.faults.push(ChainFault::Changed { sequence, noted, now });
        }
        self.report
    }
}

/// Reads a hash in lower-case hex.
fn hash_bytes(text: &str) -> Option<[u8; 32]> {
    let is_hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if text.len() != 64 || !is_hex {
        return None;
    }
    let byte = |start: usize| u8::from_str_radix(text.get(start..start + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..64).step_by(2).map(byte).collect();
    bytes?.try_into().ok()
}

/// The fields of a canonical event that the server also shows as they are.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Canonical {
    agent_id: String,
    book_id: String,
    created_at: Timestamp,
    data: CanonicalData,
    id: String,
    resource: String,
    sequence: i64,
    #[serde(rename = "type")]
    kind: EventType,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CanonicalData {
    previous_attributes: Option<BTreeMap<String, String>>,
}

/// Whether an event is shown with the values of its canonical form.
fn is_shown(canonical: &str, event: &Event) -> bool {
    serde_json::from_str(canonical).is_ok_and(|hashed: Canonical| {
        hashed.agent_id == event.agent.id
            && hashed.book_id == event.book_id
            && hashed.created_at == event.created_at
            && hashed.data.previous_attributes == event.data.previous_attributes
            && hashed.id == event.id
            && hashed.resource == event.resource
            && hashed.sequence == event.sequence
            && hashed.kind == event.kind
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A log of events with valid hashes.
    fn log() -> Vec<Event> {
        let mut previous = [0; 32];
        (1..=5_i64).map(|sequence| event(sequence, &mut previous)).collect()
    }

    fn event(sequence: i64, previous: &mut [u8; 32]) -> Event {
        let id = format!("{sequence:012x}book");
        let time = 1_000 + sequence;
        let canonical = json!({
            "agentId": "api", "bookId": "book", "createdAt": time.to_string(),
            "data": {"object": {"name": "Cash"}}, "id": id, "resource": "7",
            "sequence": sequence, "type": "ACCOUNT_UPDATED", "userId": "3",
        })
        .to_string();
        *previous = Sha256::digest([previous.as_slice(), canonical.as_bytes()].concat()).into();
        let mut event = Event {
            id,
            sequence,
            hash: previous.iter().map(|byte| format!("{byte:02x}")).collect(),
            created_at: Timestamp(time.unsigned_abs()),
            book_id: "book".to_owned(),
            resource: "7".to_owned(),
            kind: EventType::AccountUpdated,
            canonical: Some(canonical),
            ..Event::default()
        };
        event.agent.id = "api".to_owned();
        event
    }

    /// The report of these events, given from the first to the last.
    fn report(events: Vec<Event>, noted: &[(i64, String)]) -> ChainReport {
        let mut check = Check::new("book", noted.iter().cloned().collect());
        events.into_iter().rev().for_each(|event| check.add(event));
        check.finish()
    }

    #[test]
    fn whole_log_is_intact() {
        let (third, last) = (log()[2].hash.clone(), log()[4].hash.clone());
        let found = report(log(), &[(3, third)]);
        assert_eq!(found.faults, []);
        assert_eq!((found.events, found.hashes, found.head), (5, 5, Some((5, last))));
    }

    fn faults(change: impl Fn(&mut Vec<Event>)) -> Vec<ChainFault> {
        let mut events = log();
        change(&mut events);
        report(events, &[]).faults
    }

    #[test]
    fn each_fault_is_found() {
        assert_eq!(
            faults(|events| drop(events.drain(1..3))),
            [ChainFault::Missing { from: 2, to: 3 }]
        );
        assert_eq!(
            faults(|events| drop(events.drain(..2))),
            [ChainFault::Missing { from: 1, to: 2 }]
        );
        assert_eq!(
            faults(|events| events[2].id = log()[1].id.clone()),
            [ChainFault::Misplaced { sequence: 3 }, ChainFault::OtherValues { sequence: 3 }]
        );
        assert_eq!(
            faults(|events| events[2].created_at = Timestamp(1)),
            [ChainFault::OtherValues { sequence: 3 }, ChainFault::Earlier { sequence: 3 }]
        );
        assert_eq!(
            faults(|events| events[2].hash = "x".to_owned()),
            [ChainFault::InvalidHash { sequence: 3 }]
        );
        assert_eq!(
            faults(|events| events.swap(1, 2)),
            [
                ChainFault::Missing { from: 3, to: 3 },
                ChainFault::Misplaced { sequence: 3 },
                ChainFault::Earlier { sequence: 2 },
                ChainFault::Missing { from: 2, to: 2 },
            ]
        );
        assert_eq!(
            faults(|events| {
                let previous = [("amount".to_owned(), "1".to_owned())];
                events[3].data.previous_attributes = Some(previous.into());
            }),
            [ChainFault::OtherValues { sequence: 4 }]
        );
        assert_eq!(
            faults(|events| (events[1].canonical, events[2].canonical) = (None, None)),
            [ChainFault::NoCanonical { from: 2, to: 3 }]
        );
    }

    #[test]
    fn changed_content_and_changed_hash_are_found() {
        let wrong = |change: &dyn Fn(&mut Vec<Event>)| -> Vec<i64> {
            let sequence = |fault: ChainFault| {
                let ChainFault::WrongHash { sequence, .. } = fault else { panic!("{fault}") };
                sequence
            };
            faults(change).into_iter().map(sequence).collect()
        };
        let forge = |event: &mut Event| {
            let canonical = event.canonical.as_deref().unwrap_or_default();
            event.canonical = Some(canonical.replace("Cash", "Till"));
        };
        assert_eq!(wrong(&|events| forge(&mut events[0])), [1]);
        assert_eq!(wrong(&|events| forge(&mut events[4])), [5]);
        assert_eq!(wrong(&|events| events[2].hash = "a".repeat(64)), [4, 3]);
    }

    #[test]
    fn noted_events_must_stay() {
        let noted = [(2, "a".repeat(64)), (9, "b".repeat(64))];
        let changed = |sequence, noted: &str, now: String| ChainFault::Changed {
            sequence,
            noted: noted.to_owned(),
            now,
        };
        assert_eq!(
            report(log(), &noted).faults,
            [
                changed(2, &"a".repeat(64), log()[1].hash.clone()),
                changed(9, &"b".repeat(64), String::new())
            ]
        );
    }
}
