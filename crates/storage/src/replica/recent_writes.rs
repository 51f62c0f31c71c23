//! The log positions of users' recent writes, which their reads must see.
//!
//! Writes older than the allowed lag are dropped, because every usable replica has replayed them.
//! If there are too many users, all of them get the position of the last write.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use daybook_domain::id::UserId;

use crate::conn::log_position::LogPosition;

/// Maximum number of users with a position of their own.
const MAX_USERS: usize = 100_000;

/// The position of a last write, and its time.
#[derive(Debug, Clone, Copy)]
struct Mark {
    position: LogPosition,
    at: Instant,
}

/// The writes of this process that a replica may not have replayed.
#[derive(Debug)]
pub(crate) struct RecentWrites {
    /// The end of the log after the last commit.
    end: AtomicU64,
    lag: Duration,
    marks: Mutex<Marks>,
}

#[derive(Debug, Default)]
struct Marks {
    users: HashMap<UserId, Mark>,
    /// The position that the reads of all users must see.
    all_users: Option<Mark>,
}

impl RecentWrites {
    /// Keeps writes for the allowed lag of a replica.
    pub(crate) fn new(lag: Duration) -> Self {
        Self { end: AtomicU64::new(0), lag, marks: Mutex::default() }
    }

    /// Records the position of a commit. It is called before the callers get their results.
    pub(crate) fn committed(&self, end: LogPosition) {
        self.end.fetch_max(end.get(), Ordering::SeqCst);
    }

    /// Records a commit with an unknown position. Replicas are not used until the lag has passed.
    pub(crate) fn committed_at_unknown_position(&self, now: Instant) {
        self.marks().all_users = Some(Mark { position: LogPosition::BEYOND, at: now });
    }

    /// Records that a user gets the result of a write whose commit was recorded.
    pub(crate) fn completed(&self, user: UserId, now: Instant) {
        let mark = Mark { position: self.end(), at: now };
        let mut marks = self.marks();
        if marks.users.len() >= MAX_USERS && !marks.users.contains_key(&user) {
            marks.users.retain(|_, mark| now.duration_since(mark.at) <= self.lag);
            if marks.users.len() >= MAX_USERS {
                marks.users.clear();
                let earlier = self.recent(marks.all_users, now);
                let position = earlier.map_or(mark.position, |earlier| earlier.max(mark.position));
                marks.all_users = Some(Mark { position, at: now });
                return;
            }
        }
        marks.users.insert(user, mark);
    }

    /// Returns the position that the reads of a user must see.
    pub(crate) fn position_for(&self, user: UserId, now: Instant) -> LogPosition {
        let marks = self.marks();
        let own = self.recent(marks.users.get(&user).copied(), now);
        let all = self.recent(marks.all_users, now);
        own.max(all).unwrap_or(LogPosition::BEGINNING)
    }

    /// Returns the end of the log after the last commit of this process, if it is known.
    pub(crate) fn known_end(&self, now: Instant) -> Option<LogPosition> {
        let is_beyond = self.recent(self.marks().all_users, now) == Some(LogPosition::BEYOND);
        (!is_beyond && self.end() > LogPosition::BEGINNING).then(|| self.end())
    }

    fn end(&self) -> LogPosition {
        LogPosition::new(self.end.load(Ordering::SeqCst))
    }

    /// Returns the position of a mark that a replica may not have replayed.
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
    fn rule_0_42_user_sees_own_writes_until_every_replica_has_them() {
        let (writes, now) = (RecentWrites::new(LAG), Instant::now());
        let (alice, bob) = (UserId::new(1), UserId::new(2));
        assert_eq!(writes.known_end(now), None);
        writes.committed(at(70));
        writes.completed(alice, now);
        writes.committed(at(60));
        assert_eq!(writes.position_for(alice, now), at(70));
        assert_eq!(writes.position_for(bob, now), LogPosition::BEGINNING);
        assert_eq!(writes.known_end(now), Some(at(70)));
        assert_eq!(writes.position_for(alice, now + LAG), at(70));
        let later = now + LAG + Duration::from_millis(1);
        assert_eq!(writes.position_for(alice, later), LogPosition::BEGINNING);
    }

    #[test]
    fn rule_0_42_unknown_position_is_beyond_every_replica() {
        let (writes, now) = (RecentWrites::new(LAG), Instant::now());
        writes.committed(at(70));
        writes.committed_at_unknown_position(now);
        assert_eq!(writes.position_for(UserId::new(1), now), LogPosition::BEYOND);
        assert_eq!(writes.known_end(now), None);
        let later = now + LAG * 2;
        assert_eq!(writes.position_for(UserId::new(1), later), LogPosition::BEGINNING);
        assert_eq!(writes.known_end(later), Some(at(70)));
    }

    #[test]
    fn rule_0_42_too_many_users_share_a_position() {
        let (writes, now) = (RecentWrites::new(LAG), Instant::now());
        writes.committed(at(70));
        (0..).take(MAX_USERS + 1).for_each(|user| writes.completed(UserId::new(user), now));
        assert!(writes.marks().users.len() <= MAX_USERS);
        for user in [0, 5, i64::MAX] {
            assert_eq!(writes.position_for(UserId::new(user), now), at(70));
        }
        let later = now + LAG * 2;
        writes.committed(at(80));
        (0..).take(MAX_USERS).for_each(|user| writes.completed(UserId::new(user), now));
        writes.completed(UserId::new(-1), later);
        assert_eq!(writes.marks().users.len(), 1, "old marks are dropped first");
        assert_eq!(writes.position_for(UserId::new(5), later), LogPosition::BEGINNING);
        assert_eq!(writes.position_for(UserId::new(-1), later), at(80));
    }
}
