//! Tests of the forest of groups, including the cost of deep ones.

use super::*;
use crate::fixture::group;
use AccountType::{Asset, Incoming, Liability, Outgoing};

/// Creates a forest: 1 is the parent of 2 and 4, 2 of 3; 5 is alone.
fn forest(members: &[(i64, AccountType)]) -> Forest {
    let groups = [(1, None), (2, Some(1)), (3, Some(2)), (4, Some(1)), (5, None)];
    let groups = groups.map(|(id, parent)| group(id, parent)).to_vec();
    Forest::new(groups, members.iter().map(|(id, kind)| (GroupId::new(*id), *kind)))
}

#[test]
fn flags_derive_from_all_accounts_below() {
    let nature = |members: &[(i64, AccountType)], id| forest(members).flags(GroupId::new(id));
    let equity = nature(&[(3, Asset), (4, Liability)], 1);
    assert!(equity.mixed && equity.permanent && !equity.credit && equity.kind.is_none());
    assert!(equity.has_accounts && equity.has_groups);
    let net = nature(&[(3, Incoming), (4, Outgoing)], 1);
    assert!(net.mixed && !net.permanent && !net.credit);
    let all_credit = nature(&[(1, Liability), (4, Incoming)], 1);
    assert!(all_credit.mixed && !all_credit.credit && !all_credit.permanent);
    assert_eq!(nature(&[(3, Outgoing)], 2).kind, Some(Outgoing));
}

#[test]
fn empty_group_inherits_from_its_nearest_ancestor_with_accounts() {
    let forest = forest(&[(4, Liability)]);
    let inherited = forest.flags(GroupId::new(3));
    assert_eq!((inherited.kind, inherited.mixed), (Some(Liability), false));
    assert!(inherited.permanent && inherited.credit);
    assert!(!inherited.has_accounts && !inherited.has_groups);
    let alone = forest.flags(GroupId::new(5));
    assert_eq!((alone.kind, alone.mixed), (None, false));
    assert!(alone.permanent && !alone.credit && !alone.has_accounts && !alone.has_groups);
}

thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts a visit of a group.
pub(super) fn step() {
    STEPS.with(|steps| steps.set(steps.get() + 1));
}

/// Counts the visits to build and order a chain of groups and to read all flags.
#[track_caller]
fn cost(length: i64, members: &[(i64, AccountType)]) -> usize {
    STEPS.with(|steps| steps.set(0));
    let groups = (1..=length).map(|id| group(id, (id > 1).then_some(id - 1))).collect();
    let forest = Forest::new(groups, members.iter().map(|(id, kind)| (GroupId::new(*id), *kind)));
    let order = forest.parents_first();
    assert!(order.iter().map(|group| group.id.get()).eq(1..=length));
    let natures: Vec<GroupFlags> = order.iter().map(|group| forest.flags(group.id)).collect();
    let empty = members.iter().map(|(id, _)| *id).max().unwrap_or_default();
    assert!(natures.iter().zip(1..).all(|(nature, id)| nature.has_accounts == (id <= empty)));
    STEPS.with(std::cell::Cell::get)
}

#[test]
fn deep_chain_has_linear_cost() {
    let everywhere: Vec<(i64, AccountType)> =
        (1..=5_000).flat_map(|id| AccountType::ALL.map(|kind| (id, kind))).collect();
    for members in [&[][..], &[(1, Asset)], &[(5_000, Asset)], &everywhere] {
        let steps = cost(5_000, members);
        assert!(
            steps <= 8 * 5_000,
            "{steps} steps for 5,000 groups with {} kinds of members",
            members.len()
        );
    }
}

#[test]
fn flags_are_right_with_and_without_cache() {
    let mut forest = forest(&[(4, Liability)]);
    let kind = |forest: &Forest, id| forest.flags(GroupId::new(id)).kind;
    forest.insert(group(5, Some(3)));
    assert_eq!(kind(&forest, 5), Some(Liability), "inherited from 1");
    forest.add_member(GroupId::new(5), Asset);
    // Move 4 with its accounts below 5.
    forest.insert(group(4, Some(5)));
    let changed: Vec<GroupFlags> = (1..=5).map(|id| forest.flags(GroupId::new(id))).collect();
    forest.cache_inherited();
    assert_eq!((1..=5).map(|id| forest.flags(GroupId::new(id))).collect::<Vec<_>>(), changed);
    assert!(
        changed.iter().take(3).all(|nature| nature.mixed && nature.has_accounts),
        "{changed:?}"
    );
    assert_eq!(kind(&forest, 4), Some(Liability));
}

#[test]
fn cycles_are_refused() {
    let forest = forest(&[]);
    let check = |group, parent| {
        forest.check_parent(GroupId::new(group), GroupId::new(parent), &mut 9).is_ok()
    };
    assert!(check(3, 4) && check(5, 3));
    assert!(!check(1, 3) && !check(1, 1) && !check(2, 3));
}

#[test]
fn visited_ancestors_and_groups_are_limited() {
    let forest = forest(&[]);
    let mut budget = 5;
    let mut check =
        |group, parent| forest.check_parent(GroupId::new(group), GroupId::new(parent), &mut budget);
    assert_eq!(check(3, 2), Ok(()), "already its parent");
    // The checks visit 3, 2 and 1, then 2 and 1, which uses up the budget.
    assert_eq!((check(5, 3), check(5, 2)), (Ok(()), Ok(())));
    assert_eq!(check(5, 1), Err(Refusal::TooManyVisited));
    assert_eq!(forest.check_count(MAX_GROUPS - 5), Ok(()));
    assert_eq!(forest.check_count(MAX_GROUPS - 4), Err(Refusal::TooMany(MAX_GROUPS + 1)));
}

#[test]
fn parents_come_first_then_names() {
    let forest = forest(&[]);
    let order: Vec<i64> = forest.parents_first().iter().map(|group| group.id.get()).collect();
    assert_eq!(order, [1, 5, 2, 4, 3]);
    assert_eq!(forest.descendants(GroupId::new(1)).len(), 4);
}
