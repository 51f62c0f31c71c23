//! Limit of new users that an owner admits by sharing books (behaviour 11.11).

use crate::instant::{DAY, Instant};

/// Limit of users admitted in a day because one owner shares books with them.
pub const MAX_NEWCOMERS: i64 = 10;

/// Returns the instant since which users are new.
///
/// New users count towards the limit of their inviter and cannot invite others themselves.
pub const fn newcomers_since(now: Instant) -> Instant {
    now.plus(-DAY)
}
