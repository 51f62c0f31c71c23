//! Ids: 63-bit numbers that grow with time and are unique across processes.
//!
//! Every id except those of books and events has 41 bits of milliseconds, 14 bits of node and 8
//! bits of counter. When the 256 ids of a millisecond are used up, the ids of the next millisecond
//! follow. The node is the number of the process start: each process that opens the database
//! increments the row of `process_starts`. So nodes need no configuration, and a clock that is set
//! back repeats no id. Two processes could collide only if 16,384 processes were started during the
//! life of the older one.
//!
//! Ids grow with creation, so lists are ordered by (day, id). Ids of users, accounts, groups and
//! saved queries are written in decimal, because their DELETE paths take an int64. Ids of
//! transactions, files, collaborators, access requests and collections are written as 16
//! hexadecimal digits. The public id of a book is random.

use std::sync::atomic::{AtomicI64, Ordering};

use daybook_domain::event::Hash;
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;

/// 2020-01-01T00:00:00Z. 41 bits of milliseconds from here last until 2089.
const EPOCH: i64 = 1_577_836_800_000;
const NODE_BITS: u32 = 14;
const COUNTER_BITS: u32 = 8;

/// A generator of ids: 41 bits of milliseconds, 14 bits of node, 8 bits of counter.
#[derive(Debug)]
pub struct Ids {
    node: i64,
    /// The milliseconds and the counter of the last id.
    last: AtomicI64,
}

impl Ids {
    /// Creates the ids of the process with this start number ([`daybook_storage::Store::start`]).
    #[must_use]
    pub const fn new(start: i64) -> Self {
        Self { node: start & ((1 << NODE_BITS) - 1), last: AtomicI64::new(0) }
    }

    /// Returns the next id.
    pub fn next(&self, now: Instant) -> i64 {
        let earliest = earliest(now);
        let advance = |last: i64| last.saturating_add(1).max(earliest);
        let before = self
            .last
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(advance(last)))
            .unwrap_or_default();
        let next = advance(before);
        let (time, counter) = (next >> COUNTER_BITS, next & ((1 << COUNTER_BITS) - 1));
        (time << (NODE_BITS + COUNTER_BITS)) | (self.node << COUNTER_BITS) | counter
    }

    /// Returns an unguessable token of 128 random bits, in hexadecimal.
    #[must_use]
    pub fn token(&self) -> String {
        // A random UUID has only 122 random bits, so the token is the digest of two of them.
        let [one, two] = [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()];
        let digest = Hash::of(&[one.into_bytes(), two.into_bytes()].concat());
        digest.to_string().chars().take(32).collect()
    }

    /// Returns the public id of a new book. It is a token, because it grants access to a PUBLIC
    /// book.
    #[must_use]
    pub fn book_key(&self) -> BookKey {
        BookKey::new(self.token())
    }
}

/// Returns the first time-and-counter value of an instant.
fn earliest(now: Instant) -> i64 {
    now.milliseconds().saturating_sub(EPOCH).max(1) << COUNTER_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_grow_and_differ_between_nodes() {
        let now = Instant::new(1_763_000_000_000);
        let (a, b) = (Ids::new(1), Ids::new(2));
        let mut last = 0;
        for _ in 0..10_000 {
            let next = a.next(now);
            assert!(next > last && next > 10_i64.pow(9), "{next}");
            last = next;
        }
        assert_ne!(a.next(now), b.next(now));
        assert!(a.next(Instant::new(1_763_000_001_000)) > last);
    }

    #[test]
    fn processes_started_one_after_another_share_no_number() {
        let now = Instant::new(1_763_000_000_000);
        let mut seen = std::collections::HashSet::new();
        // All nodes in one millisecond.
        for start in 1..=1 << NODE_BITS {
            let ids = Ids::new(start);
            for _ in 0..20 {
                assert!(seen.insert(ids.next(now)), "start {start}");
            }
        }
        let (first, later) = (Ids::new(5), Ids::new(6));
        let mut both: Vec<i64> =
            (0..1_000).flat_map(|_| [first.next(now), later.next(now)]).collect();
        both.sort_unstable();
        both.dedup();
        assert_eq!(both.len(), 2_000, "more than the ids of one millisecond");
    }

    #[test]
    fn clock_set_back_repeats_no_id() {
        let ids = Ids::new(1);
        let later = ids.next(Instant::new(1_763_000_001_000));
        assert!(ids.next(Instant::new(1_763_000_000_000)) > later);
    }
}
