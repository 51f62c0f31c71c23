//! Limits of the groups of a book (behaviour 4.23).

/// The most groups of a book: each change of the chart reads all of them.
pub(super) const MAX_GROUPS: usize = 20_000;
/// The most groups that one request may pass, from the parents it names upwards, to find out
/// whether groups may get them.
pub const MAX_PASSED: usize = 1_000_000;
