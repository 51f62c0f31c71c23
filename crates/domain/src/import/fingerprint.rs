//! Fingerprints of previews, by which a confirmation finds that the preview has changed.

use super::outcome::{MatchTarget, Outcome, OutcomeKind};

/// The most records that [`differences`] lists.
pub const MAX_DIFFERENCES: usize = 1_000;

/// The outcome and the match of a record, without its reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// The number of the record.
    pub record: u32,
    /// The outcome.
    pub kind: OutcomeKind,
    /// The transaction or record that it is matched with.
    pub target: Option<MatchTarget>,
}

impl Fingerprint {
    /// Returns the fingerprint of a record with this outcome.
    pub const fn of(record: u32, outcome: &Outcome) -> Self {
        let target = match outcome {
            Outcome::Matched(found) => Some(found.target),
            Outcome::New(_) | Outcome::Existing(_) | Outcome::Skipped(_) | Outcome::Refused(_) => {
                None
            }
        };
        Self { record, kind: outcome.kind(), target }
    }
}

/// The records of a preview whose outcome or match has changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Differences {
    /// The first [`MAX_DIFFERENCES`] of them: the number, and the fingerprints before and now.
    /// `None` stands for a record that is in one of both only.
    pub records: Vec<(u32, Option<Fingerprint>, Option<Fingerprint>)>,
    /// The number of all of them.
    pub count: usize,
}

/// Compares two previews. Both are in the order of the record numbers.
pub fn differences(
    before: impl IntoIterator<Item = Fingerprint>,
    now: impl IntoIterator<Item = Fingerprint>,
) -> Differences {
    let (mut before, mut now) = (before.into_iter().peekable(), now.into_iter().peekable());
    let mut found = Differences::default();
    loop {
        let numbers = before.peek().into_iter().chain(now.peek()).map(|print| print.record);
        let Some(number) = numbers.min() else { return found };
        let old = before.next_if(|print| print.record == number);
        let new = now.next_if(|print| print.record == number);
        if old != new {
            found.count += 1;
            if found.records.len() < MAX_DIFFERENCES {
                found.records.push((number, old, new));
            }
        }
    }
}
