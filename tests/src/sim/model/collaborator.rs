//! Collaborators, from behaviour 7.3 and 7.5.

use std::collections::BTreeMap;

use daybook_domain::event::EventType;
use daybook_domain::permission::Permission;

use super::{Book, Turn, may};
use crate::sim::facts::{Collaborator, Refused, Resource};
use crate::sim::label;

impl Book {
    /// The owner first, then by e-mail.
    pub fn collaborators_in_order(&self) -> Vec<Collaborator> {
        let mut rows: Vec<Collaborator> = self.collaborators.values().cloned().collect();
        rows.sort_by_key(|row| (row.permission != Permission::Owner, row.email.clone()));
        rows
    }
}

impl Turn {
    pub fn add_collaborator(
        &mut self,
        label: label::Collaborator,
        email: Option<&str>,
        permission: Option<Permission>,
    ) -> Result<Collaborator, Refused> {
        let email = email
            .map(|email| email.trim().to_lowercase())
            .filter(|email| is_email(email))
            .ok_or_else(Refused::bad)?;
        let permission = permission
            .filter(|permission| *permission != Permission::Owner)
            .ok_or_else(Refused::bad)?;
        let existing = self.book.collaborators.values().find(|one| one.email == email).cloned();
        match existing {
            None if permission == Permission::None => Err(Refused::missing()),
            None => {
                let added = Collaborator { label, email, permission, stamp: self.caller.stamp() };
                self.emit(
                    EventType::CollaboratorAdded,
                    Resource::Collaborator(label),
                    BTreeMap::new(),
                );
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
    ) -> Result<Collaborator, Refused> {
        if row.permission == Permission::Owner {
            return Err(Refused::bad());
        }
        if row.permission != permission {
            let previous =
                BTreeMap::from([("permission".to_owned(), row.permission.as_str().to_owned())]);
            self.emit(EventType::CollaboratorUpdated, Resource::Collaborator(row.label), previous);
            row.permission = permission;
            row.stamp.updated = self.caller.now;
            self.book.collaborators.insert(row.label, row.clone());
        }
        Ok(row)
    }

    /// Everybody may remove themselves, except the owner.
    pub fn remove_collaborator(
        &mut self,
        id: Option<label::Collaborator>,
        email: Option<&str>,
    ) -> Result<Collaborator, Refused> {
        let by_email =
            |one: &&Collaborator| email.is_some_and(|email| one.email == email.to_lowercase());
        let found = match id {
            Some(label) => self.book.collaborators.get(&label).cloned(),
            None => self.book.collaborators.values().find(by_email).cloned(),
        };
        let named = |email: &str| email.eq_ignore_ascii_case(&self.email);
        let oneself =
            found.as_ref().is_some_and(|found| named(&found.email)) || email.is_some_and(named);
        if !oneself && !self.may(may::MANAGE) {
            return Err(Refused::forbidden());
        }
        self.remove(found.ok_or_else(Refused::missing)?)
    }

    fn remove(&mut self, row: Collaborator) -> Result<Collaborator, Refused> {
        if row.permission == Permission::Owner {
            return Err(Refused::bad());
        }
        self.book.collaborators.remove(&row.label);
        self.emit(
            EventType::CollaboratorRemoved,
            Resource::Collaborator(row.label),
            BTreeMap::new(),
        );
        Ok(row)
    }
}

fn is_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty() && !domain.is_empty() && !domain.contains('@')
    })
}
