//! Minting ids: 63 bits that grow with time and are unique across processes.
//!
//! Every id but a book's and an event's is one of these: 41 bits of milliseconds, 14 bits of node,
//! 8 bits of counter. A millisecond whose 256 ids are used up borrows from the next. The node is
//! the number of the process start: every opening of the database counts the row of
//! `process_starts` up. So nobody numbers processes, and a clock that was set back repeats no id.
//! Two processes could only meet if 16,384 were started during the life of the older.
//!
//! Ids grow with creation, so (day, id) is the order of lists. Ids of users, accounts, groups and
//! saved queries are written in decimal digits, because their DELETE paths take an int64; those of
//! transactions, files, collaborators, access requests and collections in 16 hexadecimal digits.
//! The public id of a book has no order, and is not to be guessed.

use std::sync::atomic::{AtomicI64, Ordering};

use daybook_domain::event::Hash;
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;

/// 2020-01-01T00:00:00Z: 41 bits of milliseconds from here last until 2089.
const EPOCH: i64 = 1_577_836_800_000;
const NODE_BITS: u32 = 14;
const COUNTER_BITS: u32 = 8;

/// Makes numbers of 41 bits of milliseconds, 14 bits for the process, and 8 bits that count within
/// a millisecond.
#[derive(Debug)]
pub struct Ids {
    node: i64,
    /// The milliseconds and the counter of the last number.
    last: AtomicI64,
}

impl Ids {
    /// Ids for the process with this number ([`daybook_storage::Store::start`]). Two processes
    /// could only make the same ids when 16,384 processes were started during the life of the older
    /// one.
    #[must_use]
    pub const fn new(start: i64) -> Self {
        Self { node: start & ((1 << NODE_BITS) - 1), last: AtomicI64::new(0) }
    }

    /// The next number. When the 256 numbers of a millisecond are used up, those of the next
    /// millisecond are used.
    pub fn next(&self, now: Instant) -> i64 {
        let earliest = earliest(now);
        let advance = |last: i64| last.saturating_add(1).max(earliest);
        let before = self
            .last
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(advance(last)))
            .unwrap_or_default();
        let ticket = advance(before);
        let (time, counter) = (ticket >> COUNTER_BITS, ticket & ((1 << COUNTER_BITS) - 1));
        (time << (NODE_BITS + COUNTER_BITS)) | (self.node << COUNTER_BITS) | counter
    }

    /// An unguessable token of 128 random bits, in hexadecimal digits.
    #[must_use]
    pub fn token(&self) -> String {
        // A random UUID has 122 random bits, and the digest of two of them as many as it is long.
        let [one, two] = [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()];
        let digest = Hash::of(&[one.into_bytes(), two.into_bytes()].concat());
        digest.to_string().chars().take(32).collect()
    }

    /// The public id of a new book, which opens a PUBLIC one: as a token.
    #[must_use]
    pub fn book_key(&self) -> BookKey {
        BookKey::new(self.token())
    }
}

/// The first ticket of an instant: its milliseconds with counter 0.
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
        assert_eq!(both.len(), 2_000, "also beyond one millisecond's worth");
    }

    #[test]
    fn a_clock_set_back_repeats_nothing() {
        let ids = Ids::new(1);
        let later = ids.next(Instant::new(1_763_000_001_000));
        assert!(ids.next(Instant::new(1_763_000_000_000)) > later);
    }
}
