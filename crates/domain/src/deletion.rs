//! Limits of the changes that the deletion of a resource causes in others.

/// Limit of transactions that the deletion of accounts or of a file changes (behaviour 10.11).
///
/// All of them are saved in one unit of work, which delays other writes.
pub const MAX_RELEASED: usize = 10_000;
/// Limit of the texts of these transactions, in bytes (behaviour 10.11).
pub const MAX_RELEASED_TEXTS: usize = 64 * 1024 * 1024;

/// Limit of moves of groups and accounts by one deletion of groups.
///
/// A member below a chain of deleted groups moves once for each of them.
pub const MAX_MOVES: usize = 10_000;
