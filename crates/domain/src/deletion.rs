//! Limits of what the deletion of one resource may change in others.

/// The most transactions that the deletion of accounts or of a file may change (behaviour 10.11):
/// each is saved again, while nobody else writes.
pub const MAX_RELEASED: usize = 10_000;
/// The most bytes of texts that these transactions have (behaviour 10.11).
pub const MAX_RELEASED_TEXTS: usize = 64 * 1024 * 1024;

/// The most groups and accounts that one deletion of groups may move: what is below a chain of
/// groups moves with each of them.
pub const MAX_MOVES: usize = 10_000;
