//! Sums of accounts in their groups, computed without recursion (behaviour 5.3, 5.13).

use std::collections::HashMap;

use crate::group::Forest;
use crate::id::GroupId;

use super::GroupBalances;
use super::account_movements::AccountMovements;
use super::movements::{Movements, Sign};
use super::slice::Series;

/// Trees of groups, parents before children.
pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// A group with the accounts directly in it.
struct Node {
    group: GroupId,
    /// The index of the parent; `None` for a root.
    parent: Option<usize>,
    /// The accounts directly in it.
    accounts: Vec<usize>,
    /// Accounts that are below it by several paths, once for each additional path.
    duplicates: Vec<usize>,
    /// The last account that marked it in [`mark_ancestors`].
    marked_by: Option<usize>,
}

/// The results of the children of a group, the last child first.
#[derive(Default)]
struct ChildTotals {
    movements: Vec<Movements>,
    groups: Vec<GroupBalances>,
}

impl Tree {
    /// Creates the trees of these roots, which must not be below each other.
    pub(super) fn new(
        forest: &Forest,
        roots: Vec<GroupId>,
        entries: &[AccountMovements<'_>],
    ) -> Self {
        let mut nodes = preorder(forest, roots);
        assign_accounts(&mut nodes, entries);
        Self { nodes }
    }

    /// Computes the balances of the roots. `series` makes the series of an account or a group.
    pub(super) fn balances(
        &self,
        entries: &[AccountMovements<'_>],
        series: &mut dyn FnMut(&Movements) -> Series,
    ) -> Vec<GroupBalances> {
        let mut children: Vec<ChildTotals> =
            self.nodes.iter().map(|_| ChildTotals::default()).collect();
        let mut roots = Vec::new();
        // In reverse order each group comes after its descendants.
        for node in self.nodes.iter().rev() {
            let (movements, group) = node.sum(children.pop().unwrap_or_default(), entries, series);
            match node.parent.and_then(|parent| children.get_mut(parent)) {
                Some(parent) => {
                    parent.movements.push(movements);
                    parent.groups.push(group);
                }
                None => roots.push(group),
            }
        }
        roots.reverse();
        roots
    }
}

/// Sorts groups by normalized name and id (behaviour 5.11) and removes duplicates.
pub(super) fn by_name(forest: &Forest, mut groups: Vec<GroupId>) -> Vec<GroupId> {
    groups.sort_by_cached_key(|id| (forest.get(*id).map(|group| group.name.normalized()), *id));
    groups.dedup();
    groups
}

/// Lists groups with parents before children and siblings by name.
fn preorder(forest: &Forest, roots: Vec<GroupId>) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut next: Vec<(GroupId, Option<usize>)> =
        by_name(forest, roots).into_iter().rev().map(|root| (root, None)).collect();
    while let Some((group, parent)) = next.pop() {
        let index = nodes.len();
        nodes.push(Node {
            group,
            parent,
            accounts: Vec::new(),
            duplicates: Vec::new(),
            marked_by: None,
        });
        let children = by_name(forest, forest.children(group).to_vec());
        next.extend(children.into_iter().rev().map(|child| (child, Some(index))));
    }
    nodes
}

/// Assigns each account to its groups.
///
/// An account in several groups counts once in each ancestor (behaviour 4.13), so it is subtracted
/// where two of its paths meet.
fn assign_accounts(nodes: &mut [Node], entries: &[AccountMovements<'_>]) {
    let indexes: HashMap<GroupId, usize> =
        nodes.iter().enumerate().map(|(index, node)| (node.group, index)).collect();
    for (account, entry) in entries.iter().enumerate() {
        let groups: Vec<usize> =
            entry.account.groups.iter().filter_map(|group| indexes.get(group).copied()).collect();
        for group in &groups {
            if let Some(node) = nodes.get_mut(*group) {
                node.accounts.push(account);
            }
        }
        if groups.len() > 1 {
            groups.into_iter().for_each(|group| mark_ancestors(nodes, group, account));
        }
    }
}

/// Marks a group of an account and its ancestors, up to the first that the account already marked.
fn mark_ancestors(nodes: &mut [Node], group: usize, account: usize) {
    let mut next = Some(group);
    while let Some(node) = next.and_then(|index| nodes.get_mut(index)) {
        if node.marked_by == Some(account) {
            node.duplicates.push(account);
            return;
        }
        node.marked_by = Some(account);
        next = node.parent;
    }
}

impl Node {
    /// Sums the distinct accounts below the group and computes its balances.
    fn sum(
        &self,
        children: ChildTotals,
        entries: &[AccountMovements<'_>],
        series: &mut dyn FnMut(&Movements) -> Series,
    ) -> (Movements, GroupBalances) {
        let direct: Vec<&AccountMovements<'_>> =
            self.accounts.iter().filter_map(|index| entries.get(*index)).collect();
        let duplicates = self.duplicates.iter().filter_map(|index| entries.get(*index));
        let mut parts: Vec<(Sign, &Movements)> =
            children.movements.iter().map(|movements| (Sign::Plus, movements)).collect();
        parts.extend(direct.iter().map(|entry| (Sign::Plus, &entry.movements)));
        parts.extend(duplicates.map(|entry| (Sign::Minus, &entry.movements)));
        let movements = Movements::sum(&parts);
        let accounts = direct
            .iter()
            .filter(|entry| entry.is_shown())
            .map(|entry| entry.balances(series))
            .collect();
        let mut groups = children.groups;
        groups.reverse();
        let Series { slices, truncated } = series(&movements);
        let balances = GroupBalances {
            group: self.group,
            amounts: movements.amounts(),
            series: slices,
            truncated,
            groups,
            accounts,
        };
        (movements, balances)
    }
}
