//! What events name that was deleted since: it is shown as it was last (behaviour 8.2). A page
//! names it without a bound, and each may have long texts; so a page ends before they take too
//! much.

use std::collections::{HashMap, HashSet};

use daybook_domain::access::Access;
use daybook_domain::account::Directory;
use daybook_domain::event::snapshot::{AccountSnapshot, GroupSnapshot, Snapshot};
use daybook_domain::event::{EventType, ReadEvent};
use daybook_domain::group::Forest;
use daybook_domain::id::{AccountId, GroupId};
use daybook_storage::Tx;
use daybook_storage::event::Deletions;
use daybook_storage::page::MAX_PAGE_TEXTS;

use super::MAX_EVENT_TEXTS;
use crate::error::Result;

/// How the deleted accounts and groups were last that events name.
#[derive(Debug, Default)]
pub(super) struct Deleted {
    pub(super) accounts: HashMap<AccountId, AccountSnapshot>,
    pub(super) groups: HashMap<GroupId, GroupSnapshot>,
    /// For how many of the events these are all, counted from the first.
    pub(super) events: usize,
}

impl Deleted {
    /// Those that events name beside the accounts and groups that there are.
    pub(super) fn load(
        tx: &mut Tx<'_>,
        access: &Access,
        events: &[ReadEvent],
        (accounts, forest): (&Directory, &Forest),
    ) -> Result<Self> {
        let lost = events
            .iter()
            .map(|read| accounts_of(read).into_iter().filter(|id| accounts.get(*id).is_none()));
        let lost = Lost::new(lost.map(|ids| ids.map(AccountId::get)));
        let (snapshots, shown) = lost.load(tx, access, EventType::AccountDeleted)?;
        let deleted = snapshots.into_iter().filter_map(Snapshot::into_account);
        let accounts: HashMap<AccountId, AccountSnapshot> =
            deleted.map(|account| (account.id, account)).collect();
        let lost = events.iter().take(shown).map(|read| {
            groups_of(read, &accounts).into_iter().filter(|id| forest.get(*id).is_none())
        });
        let lost = Lost::new(lost.map(|ids| ids.map(GroupId::get)));
        let (snapshots, events) = lost.load(tx, access, EventType::GroupDeleted)?;
        let deleted = snapshots.into_iter().filter_map(Snapshot::into_group);
        let groups = deleted.map(|group| (group.id, group)).collect();
        Ok(Self { accounts, groups, events })
    }
}

/// The accounts that an event shows.
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
        | Snapshot::Other(_) => Vec::new(),
    }
}

/// The groups that an event shows in its accounts, which may have been deleted with these.
fn groups_of(read: &ReadEvent, deleted: &HashMap<AccountId, AccountSnapshot>) -> Vec<GroupId> {
    let own = if let Snapshot::Account(account) = &read.snapshot { Some(account) } else { None };
    let accounts = accounts_of(read);
    let accounts = own.into_iter().chain(accounts.iter().filter_map(|id| deleted.get(id)));
    accounts.flat_map(|account| account.groups.iter().flatten()).map(|group| group.id).collect()
}

/// Resources that are not there any more, in the order in which events name them.
#[derive(Debug, Default)]
struct Lost {
    ids: Vec<i64>,
    /// For each event how many of the ids it and those before it need.
    ends: Vec<usize>,
}

impl Lost {
    fn new<I: Iterator<Item = i64>>(events: impl Iterator<Item = I>) -> Self {
        let (mut lost, mut known) = (Self::default(), HashSet::new());
        for ids in events {
            lost.ids.extend(ids.filter(|id| known.insert(*id)));
            lost.ends.push(lost.ids.len());
        }
        lost
    }

    /// How they were last, and for how many of the events these are all.
    fn load(
        &self,
        tx: &mut Tx<'_>,
        access: &Access,
        kind: EventType,
    ) -> Result<(Vec<Snapshot>, usize)> {
        let first = self.ends.first().copied().unwrap_or_default();
        let (own, others) = self.ids.split_at_checked(first).unwrap_or_default();
        let found = tx.events().deletions(access, kind, (own, MAX_EVENT_TEXTS))?;
        let Deletions { mut snapshots, mut covered, texts } = found;
        if covered == own.len() {
            let left = MAX_PAGE_TEXTS.saturating_sub(texts);
            let more = tx.events().deletions(access, kind, (others, left))?;
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
    fn each_is_looked_for_once_where_it_is_named_first() {
        let lost = Lost::new([vec![3, 1], vec![], vec![1, 2, 2]].map(Vec::into_iter).into_iter());
        assert_eq!((lost.ids, lost.ends), (vec![3, 1, 2], vec![2, 2, 3]));
    }
}
