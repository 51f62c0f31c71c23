//! Limits of the groups of a book (behaviour 4.23).

/// Limit of groups of a book. Each change of the chart reads all of them.
pub(super) const MAX_GROUPS: usize = 20_000;
/// Limit of ancestors that one request visits to check parents for cycles.
pub const MAX_VISITED: usize = 1_000_000;
