//! Limits of accounts.

/// Limit of groups that an account is directly in (behaviour 4.23). Each event of the account names
/// them.
pub(super) const MAX_GROUPS_OF_ACCOUNT: usize = 1_000;
