//! Adds accounts up into their groups, without recursion (behaviour 5.3, 5.13).

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
    /// The index of the group above; `None` for a root.
    parent: Option<usize>,
    /// The accounts directly in it.
    accounts: Vec<usize>,
    /// Accounts that are below it by more than one path, once for each further path.
    twice: Vec<usize>,
    /// The last account found below it.
    reached: Option<usize>,
}

/// The results of the groups directly below a group, the last one first.
#[derive(Default)]
struct ChildTotals {
    tracks: Vec<Movements>,
    groups: Vec<GroupBalances>,
}

impl Tree {
    /// The trees of these roots, which must not lie below each other.
    pub(super) fn new(
        forest: &Forest,
        roots: Vec<GroupId>,
        entries: &[AccountMovements<'_>],
    ) -> Self {
        let mut nodes = preorder(forest, roots);
        assign_accounts(&mut nodes, entries);
        Self { nodes }
    }

    /// The balances of the roots; `series` makes the series of a track.
    pub(super) fn balances(
        &self,
        entries: &[AccountMovements<'_>],
        series: &mut dyn FnMut(&Movements) -> Series,
    ) -> Vec<GroupBalances> {
        let mut below: Vec<ChildTotals> =
            self.nodes.iter().map(|_| ChildTotals::default()).collect();
        let mut done = Vec::new();
        // In reverse order every group comes after all groups below it.
        for node in self.nodes.iter().rev() {
            let (track, group) = node.finish(below.pop().unwrap_or_default(), entries, series);
            match node.parent.and_then(|place| below.get_mut(place)) {
                Some(parent) => {
                    parent.tracks.push(track);
                    parent.groups.push(group);
                }
                None => done.push(group),
            }
        }
        done.reverse();
        done
    }
}

/// The groups by normalized name, then id (behaviour 5.11), each once.
pub(super) fn by_name(forest: &Forest, mut groups: Vec<GroupId>) -> Vec<GroupId> {
    groups.sort_by_cached_key(|id| (forest.get(*id).map(|group| group.name.normalized()), *id));
    groups.dedup();
    groups
}

/// Parents before children, siblings by name.
fn preorder(forest: &Forest, roots: Vec<GroupId>) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut next: Vec<(GroupId, Option<usize>)> =
        by_name(forest, roots).into_iter().rev().map(|root| (root, None)).collect();
    while let Some((group, parent)) = next.pop() {
        let place = nodes.len();
        nodes.push(Node { group, parent, accounts: Vec::new(), twice: Vec::new(), reached: None });
        let children = by_name(forest, forest.children(group).to_vec());
        next.extend(children.into_iter().rev().map(|child| (child, Some(place))));
    }
    nodes
}

/// Assigns each account to its groups. One that is in several counts once in each group above
/// (behaviour 4.13): where two of its paths meet, it is subtracted once.
fn assign_accounts(nodes: &mut [Node], entries: &[AccountMovements<'_>]) {
    let mut places: Vec<(GroupId, usize)> =
        nodes.iter().enumerate().map(|(place, node)| (node.group, place)).collect();
    places.sort_unstable();
    let place = |group: &GroupId| {
        places
            .binary_search_by_key(group, |(id, _)| *id)
            .ok()
            .and_then(|found| places.get(found))
            .map(|(_, place)| *place)
    };
    for (number, entry) in entries.iter().enumerate() {
        let homes: Vec<usize> = entry.account.groups.iter().filter_map(place).collect();
        for home in &homes {
            if let Some(node) = nodes.get_mut(*home) {
                node.accounts.push(number);
            }
        }
        if homes.len() > 1 {
            homes.into_iter().for_each(|home| mark_ancestors(nodes, home, number));
        }
    }
}

/// Marks the groups above an account, up to the root or to a group that is marked already.
fn mark_ancestors(nodes: &mut [Node], home: usize, number: usize) {
    let mut at = Some(home);
    while let Some(node) = at.and_then(|place| nodes.get_mut(place)) {
        if node.reached == Some(number) {
            node.twice.push(number);
            return;
        }
        node.reached = Some(number);
        at = node.parent;
    }
}

impl Node {
    /// The sum over the distinct accounts below, and the balances made of it.
    fn finish(
        &self,
        below: ChildTotals,
        entries: &[AccountMovements<'_>],
        series: &mut dyn FnMut(&Movements) -> Series,
    ) -> (Movements, GroupBalances) {
        let direct: Vec<&AccountMovements<'_>> =
            self.accounts.iter().filter_map(|number| entries.get(*number)).collect();
        let twice = self.twice.iter().filter_map(|number| entries.get(*number));
        let mut parts: Vec<(Sign, &Movements)> =
            below.tracks.iter().map(|track| (Sign::Plus, track)).collect();
        parts.extend(direct.iter().map(|entry| (Sign::Plus, &entry.track)));
        parts.extend(twice.map(|entry| (Sign::Minus, &entry.track)));
        let track = Movements::sum(&parts);
        let accounts = direct
            .iter()
            .filter(|entry| entry.is_shown())
            .map(|entry| entry.balances(series))
            .collect();
        let mut groups = below.groups;
        groups.reverse();
        let Series { slices, truncated } = series(&track);
        let balances = GroupBalances {
            group: self.group,
            figures: track.figures(),
            series: slices,
            truncated,
            groups,
            accounts,
        };
        (track, balances)
    }
}
