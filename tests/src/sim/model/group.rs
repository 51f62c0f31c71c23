//! Groups, from behaviour 4.12 - 4.17.

use std::collections::BTreeSet;

use daybook_domain::account::AccountType;
use daybook_domain::event::EventType;
use daybook_domain::field::Field;

use super::text::{checked_name, merged};
use super::{Book, Tx, chart, each, may};
use crate::sim::body::{GroupBody, Named};
use crate::sim::facts::{Group, Nature, Properties, Refusal, Resource};
use crate::sim::label;

pub fn is_permanent(kind: AccountType) -> bool {
    kind == AccountType::Asset || kind == AccountType::Liability
}

pub fn is_credit(kind: AccountType) -> bool {
    kind == AccountType::Liability || kind == AccountType::Incoming
}

impl Book {
    pub fn find_group(&self, named: &Named<label::Group>) -> Option<&Group> {
        chart::find(&self.groups, named)
    }

    /// The groups directly below, in order of creation.
    pub fn children(&self, group: Option<label::Group>) -> Vec<label::Group> {
        self.groups.values().filter(|one| one.parent == group).map(|one| one.label).collect()
    }

    /// The group and all groups below it.
    pub fn below(&self, group: label::Group) -> BTreeSet<label::Group> {
        let mut below = BTreeSet::from([group]);
        self.children(Some(group)).into_iter().for_each(|child| below.extend(self.below(child)));
        below
    }

    /// The number of ancestors.
    fn depth(&self, group: &Group) -> usize {
        group.parent.map_or(0, |parent| 1 + self.depth(&self.groups[&parent]))
    }

    /// The groups in list order: parents before children, then by name (4.19).
    pub fn groups_in_order(&self) -> Vec<Group> {
        let mut groups = chart::by_name(&self.groups);
        groups.sort_by_key(|group| self.depth(group));
        groups
    }

    fn kinds_below(&self, group: label::Group) -> Vec<AccountType> {
        let below = self.below(group);
        self.accounts
            .values()
            .filter(|account| !account.groups.is_disjoint(&below))
            .map(|account| account.kind)
            .collect()
    }

    /// Derives the nature of a group from its accounts (4.12).
    pub fn nature(&self, group: label::Group) -> Nature {
        let own = self.kinds_below(group);
        let (has_accounts, has_groups) = (!own.is_empty(), !self.children(Some(group)).is_empty());
        let mut kinds = own;
        let mut at = self.groups[&group].parent;
        while let (true, Some(parent)) = (kinds.is_empty(), at) {
            kinds = self.kinds_below(parent);
            at = self.groups[&parent].parent;
        }
        let one = kinds.first().copied().filter(|first| kinds.iter().all(|kind| kind == first));
        let mixed = !kinds.is_empty() && one.is_none();
        Nature {
            kind: one,
            mixed: mixed && has_accounts,
            permanent: kinds.iter().all(|kind| is_permanent(*kind)),
            credit: !mixed && !kinds.is_empty() && kinds.iter().all(|kind| is_credit(*kind)),
            has_accounts,
            has_groups,
        }
    }

    pub fn with_nature(&self, group: &Group) -> (Group, Nature) {
        (group.clone(), self.nature(group.label))
    }

    fn with_natures(&self, labels: &[label::Group]) -> Vec<(Group, Nature)> {
        labels.iter().map(|label| self.with_nature(&self.groups[label])).collect()
    }
}

impl Tx {
    /// Creates groups; an item's parent may be an earlier item (4.16).
    pub fn create_groups(&mut self, items: &[GroupBody]) -> Result<Vec<(Group, Nature)>, Refusal> {
        let labels = each(items, |body| {
            let locked = body.locked.unwrap_or(false);
            if locked && !self.may(may::OWN) {
                return Err(Refusal::forbidden());
            }
            chart::check_free(&self.book.groups, body.name.as_deref(), None)?;
            let parent = self.named_parent(&body.parent)?;
            let group = Group {
                label: body.label,
                name: checked_name(body.name.as_deref())?,
                parent: parent.value(),
                hidden: body.hidden.unwrap_or(false),
                locked,
                properties: merged(&Properties::new(), &body.properties)?,
                stamp: self.caller.stamp(),
            };
            self.book.groups.insert(group.label, group);
            self.emit(EventType::GroupCreated, Resource::Group(body.label));
            Ok(body.label)
        })?;
        Ok(self.book.with_natures(&labels))
    }

    pub fn update_groups(&mut self, items: &[GroupBody]) -> Result<Vec<(Group, Nature)>, Refusal> {
        let named: Vec<_> = items.iter().map(|body| chart::target(body.id, &body.name)).collect();
        let targets = chart::resolve(&self.book.groups, &named)?;
        each(items.iter().zip(&targets), |(body, label)| self.update_group(body, *label))?;
        Ok(self.book.with_natures(&targets))
    }

    fn update_group(&mut self, body: &GroupBody, label: label::Group) -> Result<(), Refusal> {
        let before = self.book.groups[&label].clone();
        let revised = self.revised_group(&before, body);
        if revised.as_ref() == Ok(&before) {
            return Ok(());
        }
        // A missing permission is reported before invalid values (0.17).
        let locks = body.locked.is_some_and(|locked| locked != before.locked);
        if (before.locked || locks) && !self.may(may::OWN) {
            return Err(Refusal::forbidden());
        }
        self.replace_group(revised?);
        Ok(())
    }

    fn revised_group(&self, before: &Group, body: &GroupBody) -> Result<Group, Refusal> {
        let name = body.name.as_deref().filter(|_| body.id.is_some());
        chart::check_free(&self.book.groups, name, Some(before.label))?;
        let parent = self.named_parent(&body.parent)?;
        if let Field::Set(parent) = parent
            && self.book.below(before.label).contains(&parent)
        {
            return Err(Refusal::bad());
        }
        Ok(Group {
            name: chart::renamed(&before.name, body.id, name)?,
            parent: parent.apply(before.parent),
            hidden: body.hidden.unwrap_or(before.hidden),
            locked: body.locked.unwrap_or(before.locked),
            properties: merged(&before.properties, &body.properties)?,
            ..before.clone()
        })
    }

    fn replace_group(&mut self, mut after: Group) {
        after.stamp.updated = self.caller.now;
        self.emit(EventType::GroupUpdated, Resource::Group(after.label));
        self.book.groups.insert(after.label, after);
    }

    /// Deletes groups. Accounts lose the membership and child groups move up (4.14). Returns the
    /// groups as they were before.
    pub fn delete_groups(
        &mut self,
        named: &[Named<label::Group>],
    ) -> Result<Vec<(Group, Nature)>, Refusal> {
        let targets = chart::resolve(&self.book.groups, named)?;
        let owner = self.may(may::OWN);
        let answered = each(targets, |label| {
            let touched = self.book.children(Some(label)).into_iter().chain([label]);
            // Removing an account from this group changes the account, which in a locked group only
            // the OWNER may do (4.15).
            let freed = self
                .book
                .accounts
                .values()
                .filter(|account| account.groups.contains(&label))
                .flat_map(|account| &account.groups);
            let locked = touched.chain(freed.copied()).any(|group| self.book.groups[&group].locked);
            if locked && !owner {
                Err(Refusal::forbidden())
            } else {
                Ok(self.book.with_nature(&self.book.groups[&label]))
            }
        })?;
        let mut seen = BTreeSet::new();
        for label in answered.iter().map(|(group, _)| group.label) {
            if seen.insert(label) {
                self.remove_group(label);
            }
        }
        Ok(answered)
    }

    fn remove_group(&mut self, label: label::Group) {
        for before in self
            .book
            .accounts
            .values()
            .filter(|account| account.groups.contains(&label))
            .cloned()
            .collect::<Vec<_>>()
        {
            let mut after = before;
            after.groups.remove(&label);
            self.replace_account(after);
        }
        let parent = self.book.groups[&label].parent;
        for child in self.book.children(Some(label)) {
            self.replace_group(Group { parent, ..self.book.groups[&child].clone() });
        }
        self.book.groups.remove(&label);
        self.emit(EventType::GroupDeleted, Resource::Group(label));
    }

    fn named_parent(
        &self,
        parent: &Field<Named<label::Group>>,
    ) -> Result<Field<label::Group>, Refusal> {
        parent.clone().try_map(|named| {
            self.book.find_group(&named).map(|group| group.label).ok_or_else(Refusal::bad)
        })
    }
}
