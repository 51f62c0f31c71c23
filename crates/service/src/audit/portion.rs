//! Sizes of the portions in which an audit reads rows.

/// Rows in the first portion.
pub(super) const FIRST_PORTION: i64 = 100;
/// Rows in a portion at most. Portions of rows with long texts are smaller.
const MAX_PORTION: i64 = 2_000;

/// Returns the row limit of the portion after one of `read` rows, or of `read` events.
///
/// It doubles. A portion ends early if texts are long, but PostgreSQL sends the rows beyond its end
/// too, so the limit must not be much larger than what fits.
pub(super) fn next_limit(read: usize) -> i64 {
    i64::try_from(read.saturating_mul(2)).unwrap_or(MAX_PORTION).min(MAX_PORTION)
}
