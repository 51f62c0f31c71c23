//! Limits of the chart of accounts of a book.

/// Maximum size of the accounts, groups and memberships of a book, in counted bytes (behaviour
/// 4.22, 10.14). Lists of them are not paginated.
pub const MAX_CHART: i64 = 32 * 1024 * 1024;
/// Limit of groups that an account is directly in (behaviour 4.23). Each event of the account names
/// them.
pub(super) const MAX_GROUPS_OF_ACCOUNT: usize = 1_000;
