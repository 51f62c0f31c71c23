//! Transfer of ownership, from behaviour 6.21.

use std::collections::BTreeMap;

use daybook_domain::event::EventType;
use daybook_domain::permission::Permission;

use super::{Caller, Model, Turn, collaborator, may};
use crate::sim::facts::{self, Collaborator, Refused, Resource};
use crate::sim::label;

impl Model {
    /// `label` is for the row of a new owner who was no collaborator.
    pub fn transfer_book(
        &mut self,
        book: label::Book,
        caller: &Caller,
        label: label::Collaborator,
        address: Option<&str>,
    ) -> Result<facts::Book, Refused> {
        self.enter(book, caller, may::OWN)?;
        let email = address.and_then(collaborator::normalized).ok_or_else(Refused::bad)?;
        let owner = self.users.iter().position(|user| user.email == email);
        let owner = owner.ok_or_else(Refused::bad)?;
        let former = self.users[caller.who].username.clone();
        if owner != caller.who {
            self.write(book, caller, may::OWN, |turn| {
                turn.transfer((owner, &email), label, former);
                Ok(())
            })?;
        }
        self.get_book(book, caller)
    }
}

impl Turn {
    fn transfer(
        &mut self,
        (owner, email): (usize, &str),
        label: label::Collaborator,
        former: String,
    ) {
        self.book.owner = owner;
        self.book.stamp.updated = self.caller.now;
        let previous = BTreeMap::from([("ownerName".to_owned(), former)]);
        self.emit(EventType::BookUpdated, Resource::Book(self.book.label), previous);
        let oneself = self.email.clone();
        self.give(&oneself, Permission::Editor);
        if self.book.collaborators.values().any(|one| one.email == email) {
            self.give(email, Permission::Owner);
        } else {
            let (permission, stamp) = (Permission::Owner, self.caller.stamp());
            let added = Collaborator { label, email: email.to_owned(), permission, stamp };
            self.book.collaborators.insert(label, added);
            self.emit(EventType::CollaboratorAdded, Resource::Collaborator(label), BTreeMap::new());
        }
        self.book.grant(email, Permission::Owner);
    }

    /// Another permission for a collaborator.
    fn give(&mut self, email: &str, permission: Permission) {
        let now = self.caller.now;
        let row = self.book.collaborators.values_mut().find(|one| one.email == email);
        let row = row.expect("a collaborator");
        let before = row.permission.as_str().to_owned();
        (row.permission, row.stamp.updated) = (permission, now);
        let resource = Resource::Collaborator(row.label);
        let previous = BTreeMap::from([("permission".to_owned(), before)]);
        self.emit(EventType::CollaboratorUpdated, resource, previous);
    }
}
