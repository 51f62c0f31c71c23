//! Deletion of groups and its effects on accounts and child groups (behaviour 4.14).

use std::collections::{BTreeMap, BTreeSet};

use super::{Forest, Group, Refusal};
use crate::account::Account;
use crate::deletion::{MAX_MOVES, MAX_RELEASED_TEXTS};
use crate::event::NewEvent;
use crate::id::{AccountId, GroupId};
use crate::instant::Instant;

/// A deletion of several groups in sequence.
#[derive(Debug, Clone)]
pub struct Removal {
    forest: Forest,
    /// The accounts directly in any of the groups, in their current state.
    accounts: BTreeMap<AccountId, Account>,
    /// The ids of the accounts that were directly in each group.
    members: BTreeMap<GroupId, BTreeSet<AccountId>>,
    changed_accounts: Vec<AccountId>,
    moved_groups: Vec<GroupId>,
    events: Vec<NewEvent>,
    event_bytes: usize,
}

/// The effects of a deletion besides the deleted groups. Each account and group occurs once, in its
/// last state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovalEffects {
    /// The accounts that lost a membership.
    pub accounts: Vec<Account>,
    /// The groups that got another parent and still exist.
    pub groups: Vec<Group>,
    /// The events, in order.
    pub events: Vec<NewEvent>,
}

impl Removal {
    /// Starts a deletion. `accounts` are those directly in the groups to delete.
    pub fn new(forest: Forest, accounts: Vec<Account>) -> Self {
        let mut members: BTreeMap<GroupId, BTreeSet<AccountId>> = BTreeMap::new();
        for account in &accounts {
            for group in &account.groups {
                members.entry(*group).or_default().insert(account.id);
            }
        }
        Self {
            forest,
            accounts: accounts.into_iter().map(|account| (account.id, account)).collect(),
            members,
            changed_accounts: Vec::new(),
            moved_groups: Vec::new(),
            events: Vec::new(),
            event_bytes: 0,
        }
    }

    /// Checks that the caller may delete a group.
    ///
    /// The deletion changes its child groups and its accounts. So only the owner may delete a group
    /// with a locked child group, or with an account in a locked group (behaviour 4.15).
    ///
    /// # Errors
    /// [`Refusal::Locked`].
    pub fn check(&self, group: GroupId, is_owner: bool) -> Result<(), Refusal> {
        self.forest.check_writable([&group], is_owner)?;
        self.forest.check_writable(self.forest.children(group), is_owner)?;
        self.members_of(group)
            .filter_map(|id| self.accounts.get(&id))
            .try_for_each(|account| self.forest.check_writable(&account.groups, is_owner))
    }

    /// Deletes one group after removing its accounts and moving its child groups up.
    ///
    /// # Errors
    /// [`Refusal::TooManyMoves`]; the deletion must then be abandoned.
    pub fn delete(&mut self, id: GroupId, now: Instant) -> Result<(), Refusal> {
        let Some(group) = self.forest.get(id).cloned() else { return Ok(()) };
        // Sorted by id, because earlier deletions of the batch may have moved some up.
        let children: BTreeSet<GroupId> = self.forest.children(id).iter().copied().collect();
        let accounts: Vec<AccountId> = self.members_of(id).collect();
        let before = self.changed_accounts.len().saturating_add(self.moved_groups.len());
        if before.saturating_add(accounts.len()).saturating_add(children.len()) > MAX_MOVES {
            return Err(Refusal::TooManyMoves);
        }
        for account in accounts {
            let Some(account) = self.accounts.get_mut(&account) else { continue };
            let (after, previous) = account.clone().without_group(id, now);
            let event = after.updated_event(&self.forest, &previous);
            self.changed_accounts.push(after.id);
            *account = after;
            self.add_event(event)?;
        }
        for child in children {
            let Some(child) = self.forest.get(child).cloned() else { continue };
            let (after, previous) = child.move_to(group.parent, now);
            self.moved_groups.push(after.id);
            self.forest.insert(after.clone());
            self.add_event(after.updated_event(&self.forest, &previous))?;
        }
        self.add_event(group.deleted_event(&self.forest))?;
        self.forest.remove(id);
        Ok(())
    }

    fn add_event(&mut self, event: NewEvent) -> Result<(), Refusal> {
        self.event_bytes = self.event_bytes.saturating_add(event.data.len());
        self.events.push(event);
        if self.event_bytes > MAX_RELEASED_TEXTS { Err(Refusal::TooManyMoves) } else { Ok(()) }
    }

    /// Ends the deletion and returns its effects.
    pub fn finish(self) -> RemovalEffects {
        let accounts: BTreeSet<AccountId> = self.changed_accounts.into_iter().collect();
        let groups: BTreeSet<GroupId> = self.moved_groups.into_iter().collect();
        RemovalEffects {
            accounts: accounts.iter().filter_map(|id| self.accounts.get(id)).cloned().collect(),
            groups: groups.into_iter().filter_map(|id| self.forest.get(id)).cloned().collect(),
            events: self.events,
        }
    }

    fn members_of(&self, group: GroupId) -> impl Iterator<Item = AccountId> {
        self.members.get(&group).into_iter().flatten().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EventType;
    use crate::fixture::{account, group};

    #[test]
    fn only_the_owner_deletes_groups_with_locked_parts() {
        // Group 1 is locked, and 2 is its parent. 3 and 1 share an account; so do 4 and 2.
        let locked = Group { locked: true, ..group(1, Some(2)) };
        let groups = vec![locked, group(2, None), group(3, None), group(4, None)];
        let accounts = vec![account(10, "A", &[1, 3]), account(11, "B", &[2, 4])];
        let removal = Removal::new(Forest::new(groups, []), accounts);
        let deletable: Vec<i64> =
            (1..=4).filter(|id| removal.check(GroupId::new(*id), false).is_ok()).collect();
        assert_eq!(deletable, [4]);
        assert!((1..=4).all(|id| removal.check(GroupId::new(id), true).is_ok()), "the owner may");
    }

    #[test]
    fn batch_reports_each_step_and_returns_last_states_once() {
        let groups = vec![group(1, None), group(2, Some(1)), group(3, Some(2))];
        let mut removal = Removal::new(Forest::new(groups, []), vec![account(10, "A", &[1, 2, 3])]);
        for id in [2, 1] {
            removal.delete(GroupId::new(id), Instant::new(9)).unwrap();
        }
        let RemovalEffects { accounts, groups, events } = removal.finish();
        use EventType::{AccountUpdated, GroupDeleted, GroupUpdated};
        let events: Vec<_> = events.iter().map(|event| (event.kind, event.resource)).collect();
        let step = |deleted| [(AccountUpdated, 10), (GroupUpdated, 3), (GroupDeleted, deleted)];
        assert_eq!(events, [step(2), step(1)].concat());
        let ([account], [group]) = (&accounts[..], &groups[..]) else { panic!("one of each") };
        let found = (account.id.get(), account.groups.len(), account.stamp.version);
        assert_eq!(found, (10, 1, 3));
        assert_eq!((group.id.get(), group.parent, group.stamp.version), (3, None, 3));
    }

    #[test]
    fn number_of_moves_is_limited() {
        let delete = |accounts: i64| {
            let accounts = (1..=accounts).map(|id| account(id, "A", &[1])).collect();
            let mut removal = Removal::new(Forest::new(vec![group(1, None)], []), accounts);
            removal.delete(GroupId::new(1), Instant::new(9))
        };
        assert_eq!(delete(10_000), Ok(()));
        assert_eq!(delete(10_001), Err(Refusal::TooManyMoves));
    }
}
