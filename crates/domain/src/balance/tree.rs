//! Rolls accounts up their groups, without recursion (behaviour 5.3, 5.13).

use crate::group::Forest;
use crate::id::GroupId;

use super::account_track::AccountTrack;
use super::track::{Sign, Track};
use super::{GroupBalances, Slice};

/// Trees of groups, parents before children.
pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// A group with what lies directly in it.
struct Node {
    group: GroupId,
    /// The place of the group above; none for a root.
    parent: Option<usize>,
    /// The accounts directly in it.
    accounts: Vec<usize>,
    /// Accounts that reach it on one way too many.
    twice: Vec<usize>,
    /// The last account that reached it.
    reached: Option<usize>,
}

/// What the groups directly below a group came to, last one first.
#[derive(Default)]
struct ChildTotals {
    tracks: Vec<Track>,
    groups: Vec<GroupBalances>,
}

impl Tree {
    /// The trees under those roots, which must not lie below each other.
    pub(super) fn new(forest: &Forest, roots: Vec<GroupId>, entries: &[AccountTrack<'_>]) -> Self {
        let mut nodes = preorder(forest, roots);
        seat(&mut nodes, entries);
        Self { nodes }
    }

    /// The balances of the roots, with the series that `series` makes of what each container did.
    pub(super) fn balances(
        &self,
        entries: &[AccountTrack<'_>],
        series: &mut dyn FnMut(&Track) -> Vec<Slice>,
    ) -> Vec<GroupBalances> {
        let mut below: Vec<ChildTotals> =
            self.nodes.iter().map(|_| ChildTotals::default()).collect();
        let mut done = Vec::new();
        // From the end every group comes after all groups below it.
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

/// Puts each account into its groups. One that is in several counts once in each group above
/// (behaviour 4.13): where two of its ways up meet, it is taken away once.
fn seat(nodes: &mut [Node], entries: &[AccountTrack<'_>]) {
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
            homes.into_iter().for_each(|home| climb(nodes, home, number));
        }
    }
}

/// Walks an account up to the root, or to where it has been before.
fn climb(nodes: &mut [Node], home: usize, number: usize) {
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
        entries: &[AccountTrack<'_>],
        series: &mut dyn FnMut(&Track) -> Vec<Slice>,
    ) -> (Track, GroupBalances) {
        let direct: Vec<&AccountTrack<'_>> =
            self.accounts.iter().filter_map(|number| entries.get(*number)).collect();
        let twice = self.twice.iter().filter_map(|number| entries.get(*number));
        let mut parts: Vec<(Sign, &Track)> =
            below.tracks.iter().map(|track| (Sign::Plus, track)).collect();
        parts.extend(direct.iter().map(|entry| (Sign::Plus, &entry.track)));
        parts.extend(twice.map(|entry| (Sign::Minus, &entry.track)));
        let track = Track::sum(&parts);
        let accounts = direct
            .iter()
            .filter(|entry| entry.is_shown())
            .map(|entry| entry.balances(series))
            .collect();
        let mut groups = below.groups;
        groups.reverse();
        let balances = GroupBalances {
            group: self.group,
            figures: track.figures(),
            series: series(&track),
            groups,
            accounts,
        };
        (track, balances)
    }
}
