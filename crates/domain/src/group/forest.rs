//! The forest of a book's groups, and what each group derives from the accounts below it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Group, GroupRef, Refusal};
use crate::account::AccountType;
use crate::id::GroupId;

/// What a group is, derived from all accounts below it (behaviour 4.12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nature {
    /// The one type of all accounts below; none when mixed or empty.
    pub kind: Option<AccountType>,
    /// Accounts of more than one type.
    pub mixed: bool,
    /// All accounts are permanent (true for a group that is empty all the way up).
    pub permanent: bool,
    /// All accounts are of credit nature.
    pub credit: bool,
    /// Any account below, at any depth.
    pub has_accounts: bool,
    /// Any child group.
    pub has_groups: bool,
}

/// All groups of a book, with the account types found directly in each.
#[derive(Debug, Clone, Default)]
pub struct Forest {
    groups: BTreeMap<GroupId, Group>,
    children: HashMap<GroupId, Vec<GroupId>>,
    types_below: HashMap<GroupId, BTreeSet<AccountType>>,
    names: HashMap<String, GroupId>,
}

impl Forest {
    /// Builds the forest; `members` are pairs of a group and the type of an account directly in it.
    pub fn new(groups: Vec<Group>, members: impl IntoIterator<Item = (GroupId, AccountType)>) -> Self {
        let mut children: HashMap<GroupId, Vec<GroupId>> = HashMap::new();
        for group in &groups {
            if let Some(parent) = group.parent {
                children.entry(parent).or_default().push(group.id);
            }
        }
        let names = groups.iter().map(|group| (group.name.normalized(), group.id)).collect();
        let groups = groups.into_iter().map(|group| (group.id, group)).collect();
        let mut forest = Self { groups, children, types_below: HashMap::new(), names };
        for (group, kind) in members {
            forest.add_member(group, kind);
        }
        forest
    }

    /// Counts an account of that type directly in a group.
    pub fn add_member(&mut self, group: GroupId, kind: AccountType) {
        for id in self.upwards(group) {
            self.types_below.entry(id).or_default().insert(kind);
        }
    }

    /// The group with that id.
    #[must_use]
    pub fn get(&self, id: GroupId) -> Option<&Group> {
        self.groups.get(&id)
    }

    /// The group an id or a name means: id first, then normalized name (behaviour 4.4).
    #[must_use]
    pub fn find(&self, text: &str) -> Option<&Group> {
        let by_id = text.parse().ok().and_then(|id| self.get(id));
        by_id.or_else(|| self.find_named(text))
    }

    /// The group a reference means: id first, then name.
    #[must_use]
    pub fn resolve(&self, reference: &GroupRef) -> Option<&Group> {
        let by_id = reference.id.as_deref().and_then(|id| id.parse().ok()).and_then(|id| self.get(id));
        by_id.or_else(|| self.find_named(reference.name.as_deref()?))
    }

    /// The group with that name.
    #[must_use]
    pub fn find_named(&self, name: &str) -> Option<&Group> {
        self.names.get(&crate::name::normalized(name)).and_then(|id| self.get(*id))
    }

    /// All groups, in order of id.
    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        self.groups.values()
    }

    /// The groups directly below.
    #[must_use]
    pub fn children(&self, id: GroupId) -> &[GroupId] {
        self.children.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The group and all groups below it.
    #[must_use]
    pub fn downwards(&self, id: GroupId) -> Vec<GroupId> {
        let mut found = vec![id];
        let mut next = 0;
        while let Some(group) = found.get(next).copied() {
            found.extend(self.children(group));
            next += 1;
        }
        found
    }

    /// The group and all groups above it.
    #[must_use]
    pub fn upwards(&self, id: GroupId) -> Vec<GroupId> {
        let mut path = vec![id];
        let mut at = id;
        while let Some(parent) = self.get(at).and_then(|group| group.parent) {
            path.push(parent);
            at = parent;
        }
        path
    }

    /// Checks that `parent` may become the parent of `group`.
    ///
    /// # Errors
    /// [`Refusal::Cycle`].
    pub fn check_parent(&self, group: GroupId, parent: GroupId) -> Result<(), Refusal> {
        let name = |id| self.get(id).map(|group| group.name.as_str().to_owned()).unwrap_or_default();
        if self.upwards(parent).contains(&group) { Err(Refusal::Cycle(name(group), name(parent))) } else { Ok(()) }
    }

    /// What the group is, derived from the accounts below.
    #[must_use]
    pub fn nature(&self, id: GroupId) -> Nature {
        let has_accounts = self.types_below.contains_key(&id);
        // An empty group takes after the nearest ancestor that has accounts (behaviour 4.12).
        let types = self.upwards(id).into_iter().find_map(|above| self.types_below.get(&above));
        let has_groups = !self.children(id).is_empty();
        let Some(types) = types else {
            return Nature { kind: None, mixed: false, permanent: true, credit: false, has_accounts, has_groups };
        };
        Nature {
            kind: if types.len() == 1 { types.first().copied() } else { None },
            mixed: has_accounts && types.len() > 1,
            permanent: types.iter().all(|kind| kind.is_permanent()),
            // Mixed is never credit, also when every type in it is (behaviour 4.12).
            credit: types.len() == 1 && types.iter().all(|kind| kind.is_credit()),
            has_accounts,
            has_groups,
        }
    }

    /// Parents before children, each level by normalized name (behaviour 4.19).
    #[must_use]
    pub fn parents_first(&self) -> Vec<&Group> {
        let mut ordered: Vec<(usize, String, &Group)> =
            self.groups.values().map(|group| (self.upwards(group.id).len(), group.name.normalized(), group)).collect();
        ordered.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        ordered.into_iter().map(|(_, _, group)| group).collect()
    }

    /// Takes a group out; its children must have been moved before.
    pub fn remove(&mut self, id: GroupId) {
        let Some(group) = self.groups.remove(&id) else { return };
        self.names.remove(&group.name.normalized());
        if let Some(parent) = group.parent
            && let Some(siblings) = self.children.get_mut(&parent)
        {
            siblings.retain(|sibling| *sibling != id);
        }
        self.children.remove(&id);
    }

    /// Adds or replaces a group, so that later items of a batch see it (behaviour 4.16).
    pub fn put(&mut self, group: Group) {
        if let Some(old) = self.groups.get(&group.id).and_then(|old| old.parent)
            && let Some(siblings) = self.children.get_mut(&old)
        {
            siblings.retain(|id| *id != group.id);
        }
        if let Some(parent) = group.parent {
            self.children.entry(parent).or_default().push(group.id);
        }
        if let Some(old) = self.groups.get(&group.id) {
            self.names.remove(&old.name.normalized());
        }
        self.names.insert(group.name.normalized(), group.id);
        self.groups.insert(group.id, group);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instant::{Instant, Stamp};
    use crate::name::Name;
    use crate::property::Properties;
    use AccountType::{Asset, Incoming, Liability, Outgoing};

    fn group(id: i64, parent: Option<i64>) -> Group {
        Group {
            id: GroupId::new(id),
            name: Name::new(&format!("G {id}")).unwrap(),
            parent: parent.map(GroupId::new),
            hidden: false,
            locked: false,
            properties: Properties::default(),
            stamp: Stamp::new(None, Instant::new(0)),
        }
    }

    /// 1 > 2 > 3, 1 > 4; 5 alone.
    fn forest(members: &[(i64, AccountType)]) -> Forest {
        let groups = vec![group(1, None), group(2, Some(1)), group(3, Some(2)), group(4, Some(1)), group(5, None)];
        Forest::new(groups, members.iter().map(|(id, kind)| (GroupId::new(*id), *kind)))
    }

    #[test]
    fn flags_derive_from_all_accounts_below() {
        let nature = |members: &[(i64, AccountType)], id| forest(members).nature(GroupId::new(id));
        let equity = nature(&[(3, Asset), (4, Liability)], 1);
        assert_eq!(equity, Nature { kind: None, mixed: true, permanent: true, credit: false, has_accounts: true, has_groups: true });
        let net = nature(&[(3, Incoming), (4, Outgoing)], 1);
        assert!(net.mixed && !net.permanent && !net.credit);
        let all_credit = nature(&[(1, Liability), (4, Incoming)], 1);
        assert!(all_credit.mixed && !all_credit.credit && !all_credit.permanent);
        assert_eq!(nature(&[(3, Outgoing)], 2).kind, Some(Outgoing));
    }

    #[test]
    fn an_empty_group_takes_after_its_nearest_ancestor_with_accounts() {
        let forest = forest(&[(4, Liability)]);
        let inherited = forest.nature(GroupId::new(3));
        assert_eq!(
            inherited,
            Nature { kind: Some(Liability), mixed: false, permanent: true, credit: true, has_accounts: false, has_groups: false }
        );
        let alone = forest.nature(GroupId::new(5));
        assert_eq!(alone, Nature { kind: None, mixed: false, permanent: true, credit: false, has_accounts: false, has_groups: false });
    }

    #[test]
    fn cycles_are_refused() {
        let forest = forest(&[]);
        let check = |group, parent| forest.check_parent(GroupId::new(group), GroupId::new(parent)).is_ok();
        assert!(check(3, 4) && check(5, 3));
        assert!(!check(1, 3) && !check(1, 1) && !check(2, 3));
    }

    #[test]
    fn parents_come_first_then_names() {
        let forest = forest(&[]);
        let order: Vec<i64> = forest.parents_first().iter().map(|group| group.id.get()).collect();
        assert_eq!(order, [1, 5, 2, 4, 3]);
        assert_eq!(forest.downwards(GroupId::new(1)).len(), 4);
    }
}
