//! Limits of the accounts and groups of a book.

/// The most bytes for which the accounts, groups and memberships of a book count together
/// (behaviour 4.22, 10.14): whoever lists them reads them all.
pub const MAX_CHART: i64 = 32 * 1024 * 1024;
/// The most groups that an account is directly in (behaviour 4.23): each of its events names them.
pub(super) const MAX_GROUPS_OF_ACCOUNT: usize = 1_000;
