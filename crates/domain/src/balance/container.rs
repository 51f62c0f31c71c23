//! The answer to a balance query: accounts and groups with their balances (behaviour 5.1-5.3,
//! 5.11).

use crate::id::{AccountId, GroupId};

use super::{Amounts, Slice};

/// The answer to a balance query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BalanceAnswer {
    /// `accountBalances`, by name; `None` when the query names no account (behaviour 5.2).
    pub accounts: Option<Vec<AccountBalances>>,
    /// `groupBalances`, by name; `None` when the query names no group (behaviour 5.2).
    pub groups: Option<Vec<GroupBalances>>,
    /// Whether slices of any series are left out (behaviour 5.18).
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
    pub figures: Amounts,
    /// One slice per period, in order of time.
    pub series: Vec<Slice>,
    /// Whether slices of the series are left out (behaviour 5.18).
    pub truncated: bool,
}

/// The balances of one group: sums over the distinct accounts below it (behaviour 5.13).
///
/// Groups nest without limit (behaviour 4.13). [`outline`](Self::outline) and `Drop` do not
/// recurse; the derived `Clone`, `Debug` and `PartialEq` do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupBalances {
    /// The group.
    pub group: GroupId,
    /// The totals.
    pub figures: Amounts,
    /// One slice per period, in order of time, starting with the earliest account (behaviour 5.7).
    pub series: Vec<Slice>,
    /// Whether slices of the series are left out (behaviour 5.18).
    pub truncated: bool,
    /// The groups directly below, by name (behaviour 5.3).
    pub groups: Vec<GroupBalances>,
    /// The accounts directly in it, by name.
    pub accounts: Vec<AccountBalances>,
}

impl GroupBalances {
    /// This group and all below it with their depths, 0 for this one; parents come before children.
    /// Does not recurse.
    ///
    /// ```
    /// use daybook_domain::balance::{Figures, GroupBalances};
    /// use daybook_domain::id::GroupId;
    ///
    /// let leaf = |id| GroupBalances {
    ///     group: GroupId::new(id),
    ///     figures: Figures::default(),
    ///     series: vec![],
    ///     truncated: false,
    ///     groups: vec![],
    ///     accounts: vec![],
    /// };
    /// let mut root = leaf(1);
    /// root.groups = vec![leaf(2), leaf(3)];
    /// let outline: Vec<_> =
    ///     root.outline().iter().map(|(depth, group)| (*depth, group.group.get())).collect();
    /// assert_eq!(outline, [(0, 1), (1, 2), (1, 3)]);
    /// ```
    #[must_use]
    pub fn outline(&self) -> Vec<(usize, &Self)> {
        let mut found = Vec::new();
        let mut next = vec![(0_usize, self)];
        while let Some((depth, group)) = next.pop() {
            found.push((depth, group));
            next.extend(group.groups.iter().rev().map(|below| (depth.saturating_add(1), below)));
        }
        found
    }
}

/// Does not recurse, so a deep chain of groups does not overflow the stack.
impl Drop for GroupBalances {
    fn drop(&mut self) {
        let mut pending = std::mem::take(&mut self.groups);
        while let Some(mut group) = pending.pop() {
            pending.append(&mut group.groups);
        }
    }
}
