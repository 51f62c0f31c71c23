//! Transfer of ownership, from behaviour 6.21 and 6.28.

use daybook_domain::event::EventType;
use daybook_domain::permission::Permission;

use super::access_request::OPEN_TIME;
use super::{Book, Caller, Model, Tx, collaborator, may};
use crate::sim::facts::{self, Collaborator, Refusal, Resource, TransferOffer};
use crate::sim::label;

impl Model {
    /// Transfers or offers a book. `label` is for the row of a new owner who was not a
    /// collaborator.
    pub fn transfer_book(
        &mut self,
        caller: &Caller,
        label: label::Collaborator,
        address: Option<&str>,
    ) -> Result<facts::Book, Refusal> {
        self.enter(caller, may::OWN)?;
        let email = address.and_then(collaborator::normalized).ok_or_else(Refusal::bad)?;
        let own = self.users[caller.who].clone();
        let now = caller.now;
        let owner = self.users.iter().position(|user| user.email == email);
        let asks = self.books[&caller.book].asks_for_all(&email, now);
        match owner.filter(|_| asks) {
            _ if email == own.email => {}
            Some(owner) => self.write(caller, may::OWN, |tx| {
                tx.transfer(owner, &email, label);
                Ok(())
            })?,
            None => {
                let book = self.books.get_mut(&caller.book).expect("it was entered");
                let name = book.settings.name.clone();
                let (from, end) = (own.email, now + OPEN_TIME);
                let offer =
                    TransferOffer { book: book.label, name, from, to: email, created: now, end };
                book.offer = Some(offer);
            }
        }
        self.get_book(caller)
    }

    /// Accepts an offer; the caller need not have been a collaborator (6.28).
    pub fn accept_offer(
        &mut self,
        caller: &Caller,
        label: label::Collaborator,
    ) -> Result<facts::Book, Refusal> {
        let own = self.users[caller.who].email.clone();
        let found = self.books.get(&caller.book).and_then(|book| self.open_offer(book, caller.now));
        let offer = found.filter(|offer| offer.to == own).ok_or_else(Refusal::missing)?;
        let mut tx =
            Tx::new(self.books[&caller.book].clone(), Permission::Owner, caller, &offer.from);
        tx.transfer(caller.who, &own, label);
        self.keep(tx);
        self.get_book(caller)
    }

    pub fn get_offer(&self, caller: &Caller) -> Result<TransferOffer, Refusal> {
        let book = self.books.get(&caller.book).ok_or_else(Refusal::missing)?;
        let offer = self.open_offer(book, caller.now);
        match offer {
            Some(offer) if offer.to == self.users[caller.who].email => Ok(offer),
            offer => {
                self.enter(caller, may::OWN)?;
                offer.ok_or_else(Refusal::missing)
            }
        }
    }

    pub fn decline_offer(&mut self, caller: &Caller) -> Result<TransferOffer, Refusal> {
        let ended = self.get_offer(caller)?;
        self.books.get_mut(&caller.book).expect("it was found").offer = None;
        Ok(ended)
    }

    pub fn list_offers(&self, caller: &Caller) -> Vec<TransferOffer> {
        let own = &self.users[caller.who].email;
        let open = self.books.values().filter_map(|book| self.open_offer(book, caller.now));
        let mut open: Vec<TransferOffer> = open.filter(|offer| offer.to == *own).collect();
        open.sort_by_key(|offer| (offer.created, offer.book));
        open
    }

    /// The offer as shown, with the current name of the book.
    fn open_offer(&self, book: &Book, now: i64) -> Option<TransferOffer> {
        let offer = book.offer.clone().filter(|offer| now < offer.end)?;
        Some(TransferOffer { name: book.settings.name.clone(), ..offer })
    }
}

impl Book {
    /// Whether a collaborator with this address requested OWNER.
    fn asks_for_all(&self, email: &str, now: i64) -> bool {
        let asks =
            |one: &facts::AccessRequest| one.email == email && one.permission == Permission::Owner;
        self.collaborators.values().any(|one| one.email == email)
            && self.open_requests(now).iter().any(asks)
    }
}

impl Tx {
    fn transfer(&mut self, owner: usize, email: &str, label: label::Collaborator) {
        self.book.owner = owner;
        self.book.offer = None;
        self.book.stamp.updated = self.caller.now;
        self.emit(EventType::BookUpdated, Resource::Book(self.book.label));
        let oneself = self.email.clone();
        self.give(&oneself, Permission::Editor);
        if self.book.collaborators.values().any(|one| one.email == email) {
            self.give(email, Permission::Owner);
        } else {
            let (permission, stamp) = (Permission::Owner, self.caller.stamp());
            let added = Collaborator { label, email: email.to_owned(), permission, stamp };
            self.book.collaborators.insert(label, added);
            self.emit(EventType::CollaboratorAdded, Resource::Collaborator(label));
        }
        self.book.grant(email, Permission::Owner);
    }

    /// Changes a collaborator's permission.
    fn give(&mut self, email: &str, permission: Permission) {
        let now = self.caller.now;
        let row = self.book.collaborators.values_mut().find(|one| one.email == email);
        let row = row.expect("a collaborator");
        (row.permission, row.stamp.updated) = (permission, now);
        let resource = Resource::Collaborator(row.label);
        self.emit(EventType::CollaboratorUpdated, resource);
    }
}
