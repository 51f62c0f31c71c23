//! Collaborators, from behaviour 7.3 and 7.5.

use daybook_domain::event::EventType;
use daybook_domain::permission::Permission;

use super::{Book, Tx, may};
use crate::sim::facts::{Collaborator, Refusal, Resource};
use crate::sim::label;

impl Book {
    /// The owner first, then by e-mail.
    pub fn collaborators_in_order(&self) -> Vec<Collaborator> {
        let mut rows: Vec<Collaborator> = self.collaborators.values().cloned().collect();
        rows.sort_by_key(|row| (row.permission != Permission::Owner, row.email.clone()));
        rows
    }
}

impl Tx {
    pub fn add_collaborator(
        &mut self,
        label: label::Collaborator,
        email: Option<&str>,
        permission: Option<Permission>,
    ) -> Result<Collaborator, Refusal> {
        let email = email.and_then(normalized).ok_or_else(Refusal::bad)?;
        let permission = permission
            .filter(|permission| *permission != Permission::Owner)
            .ok_or_else(Refusal::bad)?;
        self.book.grant(&email, permission);
        let existing = self.book.collaborators.values().find(|one| one.email == email).cloned();
        match existing {
            None if permission == Permission::None => Err(Refusal::missing()),
            None => {
                let added = Collaborator { label, email, permission, stamp: self.caller.stamp() };
                self.emit(EventType::CollaboratorAdded, Resource::Collaborator(label));
                self.book.collaborators.insert(label, added.clone());
                Ok(added)
            }
            Some(existing) if permission == Permission::None => self.remove(existing),
            Some(existing) => self.change(existing, permission),
        }
    }

    fn change(
        &mut self,
        mut row: Collaborator,
        permission: Permission,
    ) -> Result<Collaborator, Refusal> {
        if row.permission == Permission::Owner {
            return Err(Refusal::bad());
        }
        if row.permission != permission {
            self.emit(EventType::CollaboratorUpdated, Resource::Collaborator(row.label));
            row.permission = permission;
            row.stamp.updated = self.caller.now;
            self.book.collaborators.insert(row.label, row.clone());
        }
        Ok(row)
    }

    /// Removes a collaborator. All collaborators may remove themselves, except the owner.
    pub fn remove_collaborator(
        &mut self,
        id: Option<label::Collaborator>,
        email: Option<&str>,
    ) -> Result<Collaborator, Refusal> {
        let email = email.and_then(normalized);
        let by_email = |one: &&Collaborator| email.as_ref() == Some(&one.email);
        let found = match id {
            Some(label) => self.book.collaborators.get(&label).cloned(),
            None => self.book.collaborators.values().find(by_email).cloned(),
        };
        let oneself = found.as_ref().is_some_and(|found| found.email == self.email)
            || email.as_ref() == Some(&self.email);
        if !oneself && !self.may(may::MANAGE) {
            return Err(Refusal::forbidden());
        }
        self.remove(found.ok_or_else(Refusal::missing)?)
    }

    fn remove(&mut self, row: Collaborator) -> Result<Collaborator, Refusal> {
        if row.permission == Permission::Owner {
            return Err(Refusal::bad());
        }
        self.book.collaborators.remove(&row.label);
        self.emit(EventType::CollaboratorRemoved, Resource::Collaborator(row.label));
        Ok(row)
    }
}

/// Normalizes an address (7.9), for the addresses that the simulation draws.
pub fn normalized(text: &str) -> Option<String> {
    let (local, domain) = text.trim().split_once('@')?;
    let (local, domain) = (local.to_ascii_lowercase(), domain.to_ascii_lowercase());
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let dots = local.starts_with('.') || local.ends_with('.') || local.contains("..");
    let domain = domain.replace("b\u{fc}cher", "xn--bcher-kva");
    let labels = domain.split('.').all(|label| {
        !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    });
    (!local.is_empty() && local.chars().all(plain) && !dots && labels)
        .then(|| format!("{local}@{domain}"))
}
