//! The model: a plain Daybook in memory, written from `docs/behaviour.md` and never from the code.
//! It keeps maps, computes everything anew each time it is asked, and knows nothing of storage, ids
//! or totals. It shares words with the service (the enums of types, permissions, verbs) and no
//! rule.

pub mod access_request;
pub mod account;
pub mod amount;
pub mod api_key;
pub mod app;
pub mod attempt;
pub mod balance;
pub mod book;
pub mod collaborator;
pub mod collection;
pub mod connection;
pub mod copy;
pub mod count;
pub mod dates;
pub mod deletion;
pub mod delivery;
pub mod edit;
pub mod event;
pub mod farewell;
pub mod file;
pub mod group;
pub mod history;
pub mod integration;
pub mod lifecycle;
pub mod merge;
pub mod query;
pub mod saved_query;
pub mod text;
pub mod token;
pub mod transaction;
pub mod transfer;
pub mod typed;

use std::collections::BTreeMap;

use daybook_domain::event::EventType;
use daybook_domain::permission::Permission;
use jiff::civil::Date;

use super::body::Email;
use super::facts::{self, Event, Refused, Resource, Settings, Stamp};
use super::label;

/// The matrix of behaviour 7.3: who may, by first letter.
pub mod may {
    pub const READ_BOOK: &str = "OEPRV";
    /// Of a RECORDER, own drafts only.
    pub const READ_TRANSACTIONS: &str = "OEPRV";
    /// Accounts, groups, balances, events, collaborators.
    pub const READ: &str = "OEPV";
    pub const RECORD: &str = "OEPR";
    pub const POST: &str = "OEP";
    pub const CHECK: &str = "OE";
    /// Accounts, groups, settings, collaborators, later lock dates.
    pub const MANAGE: &str = "OE";
    pub const OWN: &str = "O";
}

/// Who asks, through which app, when.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The number of the user.
    pub who: usize,
    pub agent: Option<String>,
    /// How many apps acted one after another until this.
    pub depth: i64,
    /// In milliseconds.
    pub now: i64,
}

impl Caller {
    pub fn stamp(&self) -> Stamp {
        Stamp { agent: self.agent.clone(), created: self.now, updated: self.now }
    }
}

#[derive(Clone, Debug)]
pub struct Book {
    pub label: label::Book,
    /// The number of its owner.
    pub owner: usize,
    pub settings: Settings,
    pub scale: u32,
    pub stamp: Stamp,
    pub accounts: BTreeMap<label::Account, facts::Account>,
    pub groups: BTreeMap<label::Group, facts::Group>,
    pub transactions: BTreeMap<label::Transaction, facts::Transaction>,
    pub files: BTreeMap<label::File, facts::File>,
    pub saved: BTreeMap<label::SavedQuery, facts::SavedQuery>,
    pub integrations: BTreeMap<label::Integration, facts::Integration>,
    pub collaborators: BTreeMap<label::Collaborator, facts::Collaborator>,
    pub requests: Vec<facts::AccessRequest>,
    pub offer: Option<facts::TransferOffer>,
}

#[derive(Clone, Debug)]
pub struct User {
    pub email: String,
    pub username: String,
}

#[derive(Clone, Debug, Default)]
pub struct Model {
    pub users: Vec<User>,
    pub books: BTreeMap<label::Book, Book>,
    pub logs: BTreeMap<label::Book, Vec<Event>>,
    pub deleted: BTreeMap<label::Book, deletion::Deleted>,
    pub collections: BTreeMap<label::Collection, collection::Collection>,
    /// In the order of their age, as labels are.
    pub tokens: BTreeMap<label::Token, facts::Token>,
    pub api_keys: BTreeMap<label::ApiKey, facts::ApiKey>,
    pub apps: BTreeMap<label::App, facts::App>,
    pub connections: BTreeMap<label::Connection, facts::Connection>,
    /// The apps of all integrations that there ever were.
    pub installed: BTreeMap<label::Integration, label::App>,
    pub webhooks: delivery::Webhooks,
}

/// A request at work on a copy of the book: it counts when it ends well.
pub struct Turn {
    pub book: Book,
    pub permission: Permission,
    pub caller: Caller,
    /// The caller's address.
    pub email: String,
    /// Today in the book zone.
    pub today: Date,
    emitted: Vec<Event>,
}

impl Model {
    /// The book, and what the caller is in it: strangers and unknown books get 404, too little
    /// permission 403 (7.4).
    pub fn enter(
        &self,
        book: label::Book,
        caller: &Caller,
        may: &str,
    ) -> Result<(&Book, Permission), Refused> {
        let book = self.books.get(&book).ok_or_else(Refused::missing)?;
        let permission = self.permission(book, caller.who).ok_or_else(Refused::missing)?;
        if book.allows(permission, may) {
            Ok((book, permission))
        } else {
            Err(Refused::forbidden())
        }
    }

    /// A collaborator's permission; anybody else is a VIEWER of a PUBLIC book (6.9).
    pub fn permission(&self, book: &Book, who: usize) -> Option<Permission> {
        let email = &self.users[who].email;
        let own =
            book.collaborators.values().find(|one| one.email == *email).map(|one| one.permission);
        own.or((book.settings.visibility == "PUBLIC").then_some(Permission::Viewer))
    }

    pub fn email(&self, email: &Email) -> String {
        match email {
            Email::Of(who) => self.users[*who].email.clone(),
            Email::Shouted(who) => self.users[*who].email.to_uppercase(),
            Email::Text(text) => text.clone(),
        }
    }

    /// A request that may change the book. Refused, it changes nothing.
    pub fn write<T>(
        &mut self,
        label: label::Book,
        caller: &Caller,
        may: &str,
        work: impl FnOnce(&mut Turn) -> Result<T, Refused>,
    ) -> Result<T, Refused> {
        let (book, permission) = self.enter(label, caller, may)?;
        let mut turn = Turn::new(book.clone(), permission, caller, &self.users[caller.who].email);
        let answer = work(&mut turn)?;
        self.keep(turn);
        Ok(answer)
    }

    fn keep(&mut self, turn: Turn) {
        let log = self.logs.entry(turn.book.label).or_default();
        let known = log.len();
        for event in turn.emitted {
            let sequence = i64::try_from(log.len()).expect("a short log") + 1;
            log.push(Event { sequence, ..event });
        }
        let new = log[known..].to_vec();
        self.queue_events(&turn.book, &new, turn.caller.depth);
        self.books.insert(turn.book.label, turn.book);
    }
}

impl Turn {
    pub fn new(book: Book, permission: Permission, caller: &Caller, email: &str) -> Turn {
        let today = dates::day(caller.now, &book.settings.zone);
        Turn {
            book,
            permission,
            caller: caller.clone(),
            email: email.to_owned(),
            today,
            emitted: Vec::new(),
        }
    }

    pub fn may(&self, may: &str) -> bool {
        self.book.allows(self.permission, may)
    }

    /// Notes an event; it gets its number when the request ends well.
    pub fn emit(
        &mut self,
        kind: EventType,
        resource: Resource,
        previous: BTreeMap<String, String>,
    ) {
        let Caller { who, agent, now, .. } = self.caller.clone();
        self.emitted.push(Event {
            sequence: 0,
            kind,
            resource,
            user: who,
            agent,
            at: now,
            previous,
        });
    }

    /// Does a part of the work, and undoes it when it fails.
    pub fn attempt<T, E>(&mut self, work: impl FnOnce(&mut Turn) -> Result<T, E>) -> Result<T, E> {
        let (book, emitted) = (self.book.clone(), self.emitted.len());
        let done = work(self);
        if done.is_err() {
            self.book = book;
            self.emitted.truncate(emitted);
        }
        done
    }

    /// Whether a day is locked or closed (3.5.1).
    pub fn is_locked(&self, day: Date) -> bool {
        self.book.settings.lock.max(self.book.settings.closing).is_some_and(|until| day <= until)
    }
}

impl Book {
    /// 7.3: in a PUBLIC book a RECORDER sees what a VIEWER sees.
    pub fn allows(&self, permission: Permission, may: &str) -> bool {
        let sees = [may::READ_BOOK, may::READ_TRANSACTIONS, may::READ].contains(&may);
        let viewing = sees && self.settings.visibility == "PUBLIC";
        allowed(permission, may)
            || viewing && permission != Permission::None && allowed(Permission::Viewer, may)
    }
}

pub fn allowed(permission: Permission, may: &str) -> bool {
    permission != Permission::None && may.contains(&permission.as_str()[..1])
}

/// Each item in order; a refusal names the place of the bad one (3.6.5).
pub fn each<I, T>(
    items: impl IntoIterator<Item = I>,
    mut work: impl FnMut(I) -> Result<T, Refused>,
) -> Result<Vec<T>, Refused> {
    let place = |(index, item)| {
        work(item).map_err(|refused| Refused { item: refused.item.or(Some(index)), ..refused })
    };
    items.into_iter().enumerate().map(place).collect()
}
