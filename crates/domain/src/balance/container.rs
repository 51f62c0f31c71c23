//! The result of a balance query (behaviour 5.1-5.3, 5.11).

use crate::id::{AccountId, GroupId};

use super::{Amounts, Slice};

/// The result of a balance query: accounts and groups with their balances.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BalanceResult {
    /// `accountBalances`, by name; `None` when the query names no account (behaviour 5.2).
    pub accounts: Option<Vec<AccountBalances>>,
    /// `groupBalances`, by name; `None` when the query names no group (behaviour 5.2).
    pub groups: Option<Vec<GroupBalances>>,
    /// Whether any series omits slices (behaviour 5.18).
    pub truncated: bool,
}

/// The balances of one account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountBalances {
    /// The account.
    pub account: AccountId,
    /// Whether it has no posted movement up to the end of the range (behaviour 5.7).
    pub empty: bool,
    /// The totals.
    pub amounts: Amounts,
    /// One slice per period, in order of time.
    pub series: Vec<Slice>,
    /// Whether the series omits slices (behaviour 5.18).
    pub truncated: bool,
}

/// The balances of one group: sums over the distinct accounts below it (behaviour 5.13).
///
/// Groups nest without limit (behaviour 4.13), so [`outline`](Self::outline) and `Drop` do not
/// recurse. The derived `Clone`, `Debug` and `PartialEq` do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupBalances {
    /// The group.
    pub group: GroupId,
    /// The totals.
    pub amounts: Amounts,
    /// One slice per period, in order of time, starting with the earliest account (behaviour 5.7).
    pub series: Vec<Slice>,
    /// Whether the series omits slices (behaviour 5.18).
    pub truncated: bool,
    /// The groups directly below, by name (behaviour 5.3).
    pub groups: Vec<GroupBalances>,
    /// The accounts directly in it, by name.
    pub accounts: Vec<AccountBalances>,
}

impl GroupBalances {
    /// Lists this group and its descendants with their depths, parents before children.
    ///
    /// This group has depth 0.
    pub fn outline(&self) -> Vec<(usize, &Self)> {
        let mut found = Vec::new();
        let mut next = vec![(0_usize, self)];
        while let Some((depth, group)) = next.pop() {
            found.push((depth, group));
            next.extend(group.groups.iter().rev().map(|child| (depth.saturating_add(1), child)));
        }
        found
    }
}

/// Drops without recursion, so a deep chain of groups does not overflow the stack.
impl Drop for GroupBalances {
    fn drop(&mut self) {
        let mut pending = std::mem::take(&mut self.groups);
        while let Some(mut group) = pending.pop() {
            pending.append(&mut group.groups);
        }
    }
}
