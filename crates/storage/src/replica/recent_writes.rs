//! Who has written a moment ago, and up to where in the log: what reads of theirs must see.
//!
//! What is older than the lag that a replica may have is forgotten, because a replica that is asked
//! has it in any case. When there are too many to remember one by one, all users count as one who
//! has written last.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use daybook_domain::id::UserId;

use super::position::LogPosition;

/// Users who are remembered one by one.
const MAX_USERS: usize = 100_000;

/// Where the last write of somebody ends.
#[derive(Debug, Clone, Copy)]
struct Mark {
    position: LogPosition,
    at: Instant,
}

/// The writes of this process that a replica may lack.
#[derive(Debug)]
pub(crate) struct RecentWrites {
    /// Where the log ended after the last commit.
    end: AtomicU64,
    lag: Duration,
    marks: Mutex<Marks>,
}

#[derive(Debug, Default)]
struct Marks {
    users: HashMap<UserId, Mark>,
    /// What everybody's reads must see.
    everybody: Option<Mark>,
}

impl RecentWrites {
    /// Remembers writes for as long as a replica that is asked may lack them.
    pub(crate) fn new(lag: Duration) -> Self {
        Self { end: AtomicU64::new(0), lag, marks: Mutex::default() }
    }

    /// Notes where a commit ends, before it is answered.
    pub(crate) fn committed(&self, end: LogPosition) {
        self.end.fetch_max(end.get(), Ordering::SeqCst);
    }

    /// Notes a commit of which it is not known where it ends: until every replica that is asked has
    /// it, none is asked.
    pub(crate) fn committed_somewhere(&self, now: Instant) {
        self.marks().everybody = Some(Mark { position: LogPosition::BEYOND, at: now });
    }

    /// Notes that a write of the user is answered, after its commit was noted.
    pub(crate) fn answered(&self, user: UserId, now: Instant) {
        let mark = Mark { position: self.end(), at: now };
        let mut marks = self.marks();
        if marks.users.len() >= MAX_USERS && !marks.users.contains_key(&user) {
            marks.users.retain(|_, mark| now.duration_since(mark.at) <= self.lag);
            if marks.users.len() >= MAX_USERS {
                marks.users.clear();
                let kept = self.recent(marks.everybody, now);
                let position = kept.map_or(mark.position, |kept| kept.max(mark.position));
                marks.everybody = Some(Mark { position, at: now });
                return;
            }
        }
        marks.users.insert(user, mark);
    }

    /// Up to where the user's reads must see.
    pub(crate) fn seen_by(&self, user: UserId, now: Instant) -> LogPosition {
        let marks = self.marks();
        let own = self.recent(marks.users.get(&user).copied(), now);
        let all = self.recent(marks.everybody, now);
        own.max(all).unwrap_or(LogPosition::BEGINNING)
    }

    /// Where the log ended after the last commit of this process, as far as it knows.
    pub(crate) fn known_end(&self, now: Instant) -> Option<LogPosition> {
        let beyond = self.recent(self.marks().everybody, now) == Some(LogPosition::BEYOND);
        (!beyond && self.end() > LogPosition::BEGINNING).then(|| self.end())
    }

    fn end(&self) -> LogPosition {
        LogPosition::new(self.end.load(Ordering::SeqCst))
    }

    /// The position of a mark that a replica may still lack.
    fn recent(&self, mark: Option<Mark>, now: Instant) -> Option<LogPosition> {
        let mark = mark.filter(|mark| now.duration_since(mark.at) <= self.lag);
        mark.map(|mark| mark.position)
    }

    fn marks(&self) -> MutexGuard<'_, Marks> {
        self.marks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAG: Duration = Duration::from_secs(10);

    fn at(number: u64) -> LogPosition {
        LogPosition::new(number)
    }

    #[test]
    fn rule_0_42_a_user_sees_what_they_wrote_until_every_replica_has_it() {
        let (writes, now) = (RecentWrites::new(LAG), Instant::now());
        let (alice, bob) = (UserId::new(1), UserId::new(2));
        assert_eq!(writes.known_end(now), None);
        writes.committed(at(70));
        writes.answered(alice, now);
        writes.committed(at(60));
        assert_eq!(writes.seen_by(alice, now), at(70));
        assert_eq!(writes.seen_by(bob, now), LogPosition::BEGINNING);
        assert_eq!(writes.known_end(now), Some(at(70)));
        assert_eq!(writes.seen_by(alice, now + LAG), at(70));
        let later = now + LAG + Duration::from_millis(1);
        assert_eq!(writes.seen_by(alice, later), LogPosition::BEGINNING);
    }

    #[test]
    fn rule_0_42_an_unknown_end_is_beyond_every_replica() {
        let (writes, now) = (RecentWrites::new(LAG), Instant::now());
        writes.committed(at(70));
        writes.committed_somewhere(now);
        assert_eq!(writes.seen_by(UserId::new(1), now), LogPosition::BEYOND);
        assert_eq!(writes.known_end(now), None);
        let later = now + LAG * 2;
        assert_eq!(writes.seen_by(UserId::new(1), later), LogPosition::BEGINNING);
        assert_eq!(writes.known_end(later), Some(at(70)));
    }

    #[test]
    fn rule_0_42_too_many_users_are_one() {
        let (writes, now) = (RecentWrites::new(LAG), Instant::now());
        writes.committed(at(70));
        (0..).take(MAX_USERS + 1).for_each(|user| writes.answered(UserId::new(user), now));
        assert!(writes.marks().users.len() <= MAX_USERS);
        for user in [0, 5, i64::MAX] {
            assert_eq!(writes.seen_by(UserId::new(user), now), at(70));
        }
        let later = now + LAG * 2;
        writes.committed(at(80));
        (0..).take(MAX_USERS).for_each(|user| writes.answered(UserId::new(user), now));
        writes.answered(UserId::new(-1), later);
        assert_eq!(writes.marks().users.len(), 1, "the old ones are forgotten first");
        assert_eq!(writes.seen_by(UserId::new(5), later), LogPosition::BEGINNING);
        assert_eq!(writes.seen_by(UserId::new(-1), later), at(80));
    }
}
