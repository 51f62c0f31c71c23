//! Deleted accounts and groups that events name. They are shown in their last state (behaviour
//! 8.2).
//!
//! A page may name any number of them, each with long texts. So the page ends before their texts
//! take too much memory.

use std::collections::{HashMap, HashSet};

use daybook_domain::access::Access;
use daybook_domain::account::Directory;
use daybook_domain::event::snapshot::{AccountSnapshot, GroupSnapshot, Snapshot};
use daybook_domain::event::{EventType, ReadEvent};
use daybook_domain::group::Forest;
use daybook_domain::id::{AccountId, GroupId};
use daybook_storage::Tx;
use daybook_storage::event::Deletions;
use daybook_storage::page::MAX_PAGE_TEXT_BYTES;

use crate::error::Result;

/// The most bytes of texts that one event may show.
///
/// It equals the limit for the accounts and groups of a book (behaviour 4.22).
pub(super) const MAX_EVENT_TEXTS: usize = 32 * 1024 * 1024;

/// The last states of deleted accounts and groups that events name.
#[derive(Debug, Default)]
pub(super) struct Deleted {
    pub(super) accounts: HashMap<AccountId, AccountSnapshot>,
    pub(super) groups: HashMap<GroupId, GroupSnapshot>,
    /// The number of events, from the first, whose deleted resources are all loaded.
    pub(super) events: usize,
}

impl Deleted {
    /// Loads the resources that events name and that no longer exist.
    pub(super) fn load(
        tx: &mut Tx<'_>,
        access: &Access,
        events: &[ReadEvent],
        accounts: &Directory,
        forest: &Forest,
    ) -> Result<Self> {
        let missing = events
            .iter()
            .map(|read| accounts_of(read).into_iter().filter(|id| accounts.get(*id).is_none()));
        let missing = Missing::new(missing.map(|ids| ids.map(AccountId::get)));
        let (snapshots, shown) = missing.load(tx, access, EventType::AccountDeleted)?;
        let deleted = snapshots.into_iter().filter_map(Snapshot::into_account);
        let accounts: HashMap<AccountId, AccountSnapshot> =
            deleted.map(|account| (account.id, account)).collect();
        let missing = events.iter().take(shown).map(|read| {
            groups_of(read, &accounts).into_iter().filter(|id| forest.get(*id).is_none())
        });
        let missing = Missing::new(missing.map(|ids| ids.map(GroupId::get)));
        let (snapshots, events) = missing.load(tx, access, EventType::GroupDeleted)?;
        let deleted = snapshots.into_iter().filter_map(Snapshot::into_group);
        let groups = deleted.map(|group| (group.id, group)).collect();
        Ok(Self { accounts, groups, events })
    }
}

/// Returns the accounts that an event shows.
pub(super) fn accounts_of(read: &ReadEvent) -> Vec<AccountId> {
    match &read.snapshot {
        Snapshot::Transaction(transaction) => {
            transaction.accounts().map(|account| account.id).collect()
        }
        Snapshot::Account(_) => vec![AccountId::new(read.event.resource)],
        Snapshot::Group(_)
        | Snapshot::File(_)
        | Snapshot::SavedQuery(_)
        | Snapshot::Integration(_)
        | Snapshot::Book(_)
        | Snapshot::Collaborator(_)
        | Snapshot::Comment(_) => Vec::new(),
    }
}

/// Returns the groups that an event shows in its accounts. They may be deleted too.
fn groups_of(read: &ReadEvent, deleted: &HashMap<AccountId, AccountSnapshot>) -> Vec<GroupId> {
    let own = if let Snapshot::Account(account) = &read.snapshot { Some(account) } else { None };
    let accounts = accounts_of(read);
    let accounts = own.into_iter().chain(accounts.iter().filter_map(|id| deleted.get(id)));
    accounts.flat_map(|account| account.groups.iter().flatten()).map(|group| group.id).collect()
}

/// Resources that no longer exist, in the order in which events name them.
#[derive(Debug, Default)]
struct Missing {
    ids: Vec<i64>,
    /// For each event, the number of ids that it and the events before it need.
    ends: Vec<usize>,
}

impl Missing {
    fn new<I: Iterator<Item = i64>>(events: impl Iterator<Item = I>) -> Self {
        let (mut missing, mut known) = (Self::default(), HashSet::new());
        for ids in events {
            missing.ids.extend(ids.filter(|id| known.insert(*id)));
            missing.ends.push(missing.ids.len());
        }
        missing
    }

    /// Loads their last states, and returns for how many of the events these are complete.
    fn load(
        &self,
        tx: &mut Tx<'_>,
        access: &Access,
        kind: EventType,
    ) -> Result<(Vec<Snapshot>, usize)> {
        let first = self.ends.first().copied().unwrap_or_default();
        let (own, others) = self.ids.split_at_checked(first).unwrap_or_default();
        let found = tx.events().deletions(access, kind, own, MAX_EVENT_TEXTS)?;
        let Deletions { mut snapshots, mut covered, texts } = found;
        if covered == own.len() {
            let left = MAX_PAGE_TEXT_BYTES.saturating_sub(texts);
            let more = tx.events().deletions(access, kind, others, left)?;
            snapshots.extend(more.snapshots);
            covered = covered.saturating_add(more.covered);
        }
        Ok((snapshots, self.ends.iter().take_while(|end| **end <= covered).count()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_resource_is_loaded_once_for_its_first_event() {
        let missing =
            Missing::new([vec![3, 1], vec![], vec![1, 2, 2]].map(Vec::into_iter).into_iter());
        assert_eq!((missing.ids, missing.ends), (vec![3, 1, 2], vec![2, 2, 3]));
    }
}
