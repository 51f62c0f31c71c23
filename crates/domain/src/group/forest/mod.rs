//! The forest of groups of a book, and the flags derived from their accounts.

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};

use super::limits::MAX_GROUPS;
use super::{Group, GroupRef, Refusal};
use crate::account::AccountType;
use crate::chart::Directory;
use crate::id::GroupId;

/// The flags of a group, derived from all accounts below it (behaviour 4.12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupFlags {
    /// The common type of all accounts below; `None` when there are several types or no accounts.
    ///
    /// An empty group has the type of its nearest ancestor with accounts.
    pub kind: Option<AccountType>,
    /// Whether the accounts below have more than one type.
    pub mixed: bool,
    /// Whether all accounts below are permanent; true if no ancestor has accounts either.
    pub permanent: bool,
    /// Whether all accounts below have credit nature.
    pub credit: bool,
    /// Whether there is an account below, at any depth.
    pub has_accounts: bool,
    /// Whether there is a child group.
    pub has_groups: bool,
}

/// All groups of a book, with the types of the accounts below each.
#[derive(Debug, Clone, Default)]
pub struct Forest {
    groups: Directory<Group>,
    children: HashMap<GroupId, Vec<GroupId>>,
    types_below: HashMap<GroupId, BTreeSet<AccountType>>,
    /// For each group, the nearest group at or above it that has accounts.
    ///
    /// A change clears the cache until [`Forest::cache_inherited`] is called.
    nearest: Option<HashMap<GroupId, GroupId>>,
}

impl Forest {
    /// Creates a forest. `members` are pairs of a group and the type of an account directly in it.
    pub fn new(
        groups: Vec<Group>,
        members: impl IntoIterator<Item = (GroupId, AccountType)>,
    ) -> Self {
        let mut children: HashMap<GroupId, Vec<GroupId>> = HashMap::new();
        for group in &groups {
            if let Some(parent) = group.parent {
                children.entry(parent).or_default().push(group.id);
            }
        }
        let groups = Directory::new(groups);
        let mut forest = Self { groups, children, types_below: HashMap::new(), nearest: None };
        for (group, kind) in members {
            forest.add_member(group, kind);
        }
        forest.cache_inherited();
        forest
    }

    /// Adds an account of that type to a group.
    ///
    /// Stops at the first ancestor that already has the type, because all its ancestors have it
    /// too.
    pub fn add_member(&mut self, group: GroupId, kind: AccountType) {
        let mut next = Some(group);
        while let Some(id) = next.filter(|id| self.types_below.entry(*id).or_default().insert(kind))
        {
            self.nearest = None;
            next = self.parent(id);
        }
    }

    /// Computes from which ancestor each empty group inherits its flags.
    ///
    /// Call it after changes, before reading the flags of many groups. Without it,
    /// [`Forest::flags`] walks up from each group.
    pub fn cache_inherited(&mut self) {
        let mut nearest = HashMap::new();
        for (_, id) in self.levels() {
            let own = self.types_below.contains_key(&id).then_some(id);
            let found =
                own.or_else(|| self.parent(id).and_then(|parent| nearest.get(&parent).copied()));
            if let Some(found) = found {
                nearest.insert(id, found);
            }
        }
        self.nearest = Some(nearest);
    }

    /// Lists all groups with their depth, parents before children.
    fn levels(&self) -> Vec<(usize, GroupId)> {
        let root = |group: &&Group| group.parent.is_none_or(|parent| self.get(parent).is_none());
        let mut found: Vec<(usize, GroupId)> =
            self.groups().filter(root).map(|group| (0, group.id)).collect();
        let mut next = 0;
        while let Some((depth, id)) = found.get(next).copied() {
            #[cfg(test)]
            tests::step();
            found.extend(self.children(id).iter().map(|child| (depth.saturating_add(1), *child)));
            next += 1;
        }
        found
    }

    fn parent(&self, id: GroupId) -> Option<GroupId> {
        #[cfg(test)]
        tests::step();
        self.get(id).and_then(|group| group.parent)
    }

    /// Returns the group with that id.
    pub fn get(&self, id: GroupId) -> Option<&Group> {
        self.groups.get(id)
    }

    /// Finds the group with that id or else with that name (behaviour 4.4).
    pub fn find(&self, text: &str) -> Option<&Group> {
        self.groups.find(&GroupRef::id_or_name(text))
    }

    /// Returns the index of all groups by id and name.
    pub const fn directory(&self) -> &Directory<Group> {
        &self.groups
    }

    /// Iterates over all groups in order of id.
    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter()
    }

    /// Returns the child groups.
    pub fn children(&self, id: GroupId) -> &[GroupId] {
        self.children.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Returns the group and all groups below it.
    pub fn descendants(&self, id: GroupId) -> Vec<GroupId> {
        let mut found = vec![id];
        let mut next = 0;
        while let Some(group) = found.get(next).copied() {
            found.extend(self.children(group));
            next += 1;
        }
        found
    }

    /// Iterates over the group and all groups above it, upwards.
    fn ancestors(&self, id: GroupId) -> impl Iterator<Item = GroupId> {
        std::iter::successors(Some(id), |id| self.parent(*id))
    }

    /// Checks that `parent` may become the parent of `group`: it is neither the group nor below it.
    ///
    /// `budget` decreases by one for each visited ancestor.
    ///
    /// # Errors
    /// [`Refusal::Cycle`]; [`Refusal::TooManyVisited`] when the budget is used up.
    pub fn check_parent(
        &self,
        group: GroupId,
        parent: GroupId,
        budget: &mut usize,
    ) -> Result<(), Refusal> {
        let name =
            |id| self.get(id).map(|group| group.name.as_str().to_owned()).unwrap_or_default();
        if self.get(group).is_some_and(|group| group.parent == Some(parent)) {
            return Ok(());
        }
        for ancestor in self.ancestors(parent) {
            if ancestor == group {
                return Err(Refusal::Cycle(name(group), name(parent)));
            }
            *budget = budget.checked_sub(1).ok_or(Refusal::TooManyVisited)?;
        }
        Ok(())
    }

    /// Checks that `added` more groups are within the limit (behaviour 4.23).
    ///
    /// # Errors
    /// [`Refusal::TooMany`].
    pub fn check_count(&self, added: usize) -> Result<(), Refusal> {
        let count = self.groups().count().saturating_add(added);
        if count > MAX_GROUPS { Err(Refusal::TooMany(count)) } else { Ok(()) }
    }

    /// Checks that the caller may change these groups and the accounts in them (behaviour 4.15).
    ///
    /// # Errors
    /// [`Refusal::Locked`] for the first locked group, unless the caller is the owner.
    pub fn check_writable<'i>(
        &self,
        groups: impl IntoIterator<Item = &'i GroupId>,
        is_owner: bool,
    ) -> Result<(), Refusal> {
        groups
            .into_iter()
            .filter_map(|id| self.get(*id))
            .try_for_each(|group| group.check_writable(is_owner))
    }

    /// Returns the flags of a group.
    pub fn flags(&self, id: GroupId) -> GroupFlags {
        let has_accounts = self.types_below.contains_key(&id);
        // An empty group inherits from its nearest ancestor with accounts (behaviour 4.12).
        let types = match &self.nearest {
            Some(nearest) => nearest.get(&id).and_then(|above| self.types_below.get(above)),
            None => self.ancestors(id).find_map(|above| self.types_below.get(&above)),
        };
        let none = BTreeSet::new();
        let types = types.unwrap_or(&none);
        let kind = types.first().copied().filter(|_| types.len() == 1);
        GroupFlags {
            kind,
            mixed: has_accounts && types.len() > 1,
            permanent: types.iter().all(|kind| kind.is_permanent()),
            // Mixed types never have credit nature, even if each of them has (behaviour 4.12).
            credit: kind.is_some_and(AccountType::is_credit),
            has_accounts,
            has_groups: !self.children(id).is_empty(),
        }
    }

    /// Lists all groups, parents before children, each level by normalized name (behaviour 4.19).
    pub fn parents_first(&self) -> Vec<&Group> {
        let with_key =
            |(depth, id)| self.get(id).map(|group| (depth, group.name.normalized(), group));
        let mut ordered: Vec<(usize, &str, &Group)> =
            self.levels().into_iter().filter_map(with_key).collect();
        ordered.sort_by_key(|(depth, name, _)| (*depth, *name));
        ordered.into_iter().map(|(_, _, group)| group).collect()
    }

    /// Removes a group. The caller must have moved its children.
    pub fn remove(&mut self, id: GroupId) {
        let Some(group) = self.groups.remove(id) else { return };
        self.nearest = None;
        if let Some(parent) = group.parent
            && let Some(siblings) = self.children.get_mut(&parent)
        {
            siblings.retain(|sibling| *sibling != id);
        }
        self.children.remove(&id);
    }

    /// Adds or replaces a group, for later items of a batch (behaviour 4.16).
    pub fn insert(&mut self, group: Group) {
        let (id, parent) = (group.id, group.parent);
        let old = self.groups.insert(group).and_then(|old| old.parent);
        self.nearest = None;
        if old != parent
            && let Some(siblings) = old.and_then(|old| self.children.get_mut(&old))
        {
            siblings.retain(|sibling| *sibling != id);
        }
        let Some(parent) = parent else { return };
        if old != Some(parent) {
            self.children.entry(parent).or_default().push(id);
        }
        // Its accounts now also count for the new ancestors.
        for kind in self.types_below.get(&id).cloned().unwrap_or_default() {
            self.add_member(parent, kind);
        }
    }
}
