//! The deletion of groups: their accounts stay and lose the membership, their child groups move up
//! (behaviour 4.14).

use std::collections::{BTreeMap, BTreeSet};

use super::{Forest, Group, Refusal};
use crate::account::Account;
use crate::deletion::{MAX_MOVES, MAX_RELEASED_TEXTS};
use crate::event::NewEvent;
use crate::id::{AccountId, GroupId};
use crate::instant::Instant;

/// A deletion of several groups one after another, with its effects on the rest of the book.
#[derive(Debug, Clone)]
pub struct Removal {
    forest: Forest,
    /// The accounts directly in any of the groups, in their present state.
    members: BTreeMap<AccountId, Account>,
    /// The ids of the accounts that were directly in each group.
    inside: BTreeMap<GroupId, BTreeSet<AccountId>>,
    freed: Vec<AccountId>,
    moved: Vec<GroupId>,
    events: Vec<NewEvent>,
    /// Bytes of these.
    written: usize,
}

/// The effects of a deletion apart from the deleted groups; each account and group once, in its
/// last state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// The accounts that lost a membership.
    pub freed: Vec<Account>,
    /// The groups that got another parent and still exist.
    pub moved: Vec<Group>,
    /// The events, in order.
    pub events: Vec<NewEvent>,
}

impl Removal {
    /// Begins a deletion, with all groups of the book and the accounts directly in those to delete.
    #[must_use]
    pub fn new(forest: Forest, members: Vec<Account>) -> Self {
        let mut inside: BTreeMap<GroupId, BTreeSet<AccountId>> = BTreeMap::new();
        for account in &members {
            for group in &account.groups {
                inside.entry(*group).or_default().insert(account.id);
            }
        }
        let members = members.into_iter().map(|account| (account.id, account)).collect();
        let (freed, moved, events) = (Vec::new(), Vec::new(), Vec::new());
        Self { forest, members, inside, freed, moved, events, written: 0 }
    }

    /// Checks that the caller may delete a group. Its child groups move and its accounts leave it,
    /// so a locked child group, or an account that is also in a locked group, is the owner's to
    /// change (behaviour 4.15).
    ///
    /// # Errors
    /// [`Refusal::Locked`].
    pub fn check(&self, group: GroupId, owner: bool) -> Result<(), Refusal> {
        self.forest.check_writable([&group], owner)?;
        self.forest.check_writable(self.forest.children(group), owner)?;
        self.inside(group)
            .filter_map(|id| self.members.get(&id))
            .try_for_each(|account| self.forest.check_writable(&account.groups, owner))
    }

    /// Deletes one group: removes its accounts from it, moves its child groups up, then removes it,
    /// each with its event.
    ///
    /// # Errors
    /// [`Refusal::TooManyMoves`]; the deletion cannot be continued then.
    pub fn take_out(&mut self, id: GroupId, now: Instant) -> Result<(), Refusal> {
        let Some(group) = self.forest.get(id).cloned() else { return Ok(()) };
        // The oldest first, also where an earlier deletion of the batch has moved some up.
        let children: BTreeSet<GroupId> = self.forest.children(id).iter().copied().collect();
        let accounts: Vec<AccountId> = self.inside(id).collect();
        let moves = [self.freed.len(), self.moved.len(), accounts.len(), children.len()]
            .into_iter()
            .fold(0, usize::saturating_add);
        if moves > MAX_MOVES {
            return Err(Refusal::TooManyMoves);
        }
        for account in accounts {
            let Some(account) = self.members.get_mut(&account) else { continue };
            let (after, previous) = account.clone().without_group(id, now);
            let event = after.updated_event(&self.forest, &previous);
            self.freed.push(after.id);
            *account = after;
            self.tell(event)?;
        }
        for child in children {
            let Some(child) = self.forest.get(child).cloned() else { continue };
            let (after, previous) = child.moved(group.parent, now);
            self.moved.push(after.id);
            self.forest.put(after.clone());
            self.tell(after.updated_event(&self.forest, &previous))?;
        }
        self.tell(group.deleted_event(&self.forest))?;
        self.forest.remove(id);
        Ok(())
    }

    fn tell(&mut self, event: NewEvent) -> Result<(), Refusal> {
        self.written = self.written.saturating_add(event.data.len());
        self.events.push(event);
        if self.written > MAX_RELEASED_TEXTS { Err(Refusal::TooManyMoves) } else { Ok(()) }
    }

    /// Ends the deletion and returns its effects.
    #[must_use]
    pub fn finish(self) -> Removed {
        let freed: BTreeSet<AccountId> = self.freed.into_iter().collect();
        let moved: BTreeSet<GroupId> = self.moved.into_iter().collect();
        Removed {
            freed: freed.iter().filter_map(|id| self.members.get(id)).cloned().collect(),
            moved: moved.into_iter().filter_map(|id| self.forest.get(id)).cloned().collect(),
            events: self.events,
        }
    }

    fn inside(&self, group: GroupId) -> impl Iterator<Item = AccountId> {
        self.inside.get(&group).into_iter().flatten().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Changes;
    use crate::event::EventType;
    use crate::field::Field;
    use crate::instant::Stamp;

    fn stamp() -> Stamp {
        Stamp::new(None, Instant::new(0))
    }

    fn group(id: i64, parent: Option<i64>, locked: bool) -> Group {
        let changes = crate::group::Changes {
            name: Some(format!("G {id}")),
            parent: parent.map_or(Field::Keep, |id| Field::Set(GroupId::new(id))),
            locked: Some(locked),
            ..crate::group::Changes::default()
        };
        Group::create(GroupId::new(id), changes, stamp()).unwrap()
    }

    fn account(id: i64, groups: &[i64]) -> Account {
        let groups = groups.iter().map(|id| GroupId::new(*id)).collect();
        let changes = Changes {
            name: Some(format!("A {id}")),
            groups: Field::Set(groups),
            ..Changes::default()
        };
        Account::create(AccountId::new(id), changes, &BTreeSet::new(), stamp()).unwrap()
    }

    #[test]
    fn what_a_lock_holds_of_behaviour_4_15() {
        // 1 locked; 2 above 1; 3 with an account that is in 1 too; 4 with an account that is in 2
        // too.
        let groups = vec![
            group(1, Some(2), true),
            group(2, None, false),
            group(3, None, false),
            group(4, None, false),
        ];
        let removal =
            Removal::new(Forest::new(groups, []), vec![account(10, &[1, 3]), account(11, &[2, 4])]);
        let free: Vec<i64> =
            (1..=4).filter(|id| removal.check(GroupId::new(*id), false).is_ok()).collect();
        assert_eq!(free, [4]);
        assert!((1..=4).all(|id| removal.check(GroupId::new(id), true).is_ok()), "the owner may");
    }

    #[test]
    fn a_batch_moves_things_step_by_step_and_saves_them_once() {
        let groups =
            vec![group(1, None, false), group(2, Some(1), false), group(3, Some(2), false)];
        let mut removal = Removal::new(Forest::new(groups, []), vec![account(10, &[1, 2, 3])]);
        for id in [2, 1] {
            removal.take_out(GroupId::new(id), Instant::new(9)).unwrap();
        }
        let Removed { freed, moved, events } = removal.finish();
        use EventType::{AccountUpdated, GroupDeleted, GroupUpdated};
        let told: Vec<_> = events.iter().map(|event| (event.kind, event.resource)).collect();
        let step = |gone| [(AccountUpdated, 10), (GroupUpdated, 3), (GroupDeleted, gone)];
        assert_eq!(told, [step(2), step(1)].concat());
        assert_eq!(
            freed
                .iter()
                .map(|account| (account.id.get(), account.groups.len(), account.stamp.version))
                .collect::<Vec<_>>(),
            [(10, 1, 3)]
        );
        assert_eq!(
            moved
                .iter()
                .map(|group| (group.id.get(), group.parent, group.stamp.version))
                .collect::<Vec<_>>(),
            [(3, None, 3)]
        );
    }

    #[test]
    fn so_many_moves_of_behaviour_10_11() {
        let take_out = |accounts: i64| {
            let inside = (1..=accounts).map(|id| account(id, &[1])).collect();
            let mut removal = Removal::new(Forest::new(vec![group(1, None, false)], []), inside);
            removal.take_out(GroupId::new(1), Instant::new(9))
        };
        assert_eq!(take_out(10_000), Ok(()));
        assert_eq!(take_out(10_001), Err(Refusal::TooManyMoves));
    }
}
