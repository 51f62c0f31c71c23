//! What deleting one resource may change in others.

/// Most transactions that the deletion of accounts or of a file may change (behaviour 10.11).
pub const MAX_RELEASED: usize = 100_000;

/// Moves one deletion may cause: what stands below a chain of groups moves with each of them.
pub const MAX_MOVES: usize = 100_000;
