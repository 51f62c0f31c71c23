//! How many users somebody brings in by sharing books (behaviour 11.11).

use crate::instant::Instant;

/// The most users that come in a day because of the books of one owner.
pub const MAX_NEWCOMERS: i64 = 10;
const DAY: i64 = 24 * 60 * 60 * 1_000;

/// The day that ends now: who came since then counts for whom they came by, and nobody comes by
/// them.
#[must_use]
pub const fn newcomers_since(now: Instant) -> Instant {
    Instant::new(now.milliseconds().saturating_sub(DAY))
}
