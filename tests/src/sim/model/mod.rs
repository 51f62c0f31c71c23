//! The model: a plain Daybook in memory, written from the behaviour documentation and never from
//! the code. It keeps maps, computes everything on each request, and has no storage, ids or totals.
//! It shares enums (types, permissions, verbs) with the service, but no rule.

pub mod access_request;
pub mod account;
pub mod amount;
pub mod app;
pub mod balance;
pub mod book;
pub mod chart;
pub mod collaborator;
pub mod collection;
pub mod comment;
pub mod connection;
pub mod copy;
pub mod count;
pub mod dates;
pub mod deletion;
pub mod delivery;
pub mod edit;
pub mod event;
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

use daybook_domain::account::AccountType;
use daybook_domain::event::EventType;
use daybook_domain::permission::Permission;
use jiff::civil::Date;

use super::body::Email;
use super::facts::{self, Event, Refusal, Resource, Settings, Stamp};
use super::label;

/// The permission matrix of behaviour 7.3: the permissions that allow an action, by first letter.
pub mod may {
    pub const READ_BOOK: &str = "OEPRV";
    /// A RECORDER sees only its own drafts.
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

/// The caller of a request, its book, the app it acts through, and the time.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The number of the user.
    pub who: usize,
    /// The book of the request; any book, if it has none.
    pub book: label::Book,
    pub agent: Option<String>,
    /// How many apps acted one after another before this request.
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
    pub comments: BTreeMap<label::Comment, facts::Comment>,
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
    /// In order of age, which is the order of labels.
    pub tokens: BTreeMap<label::Token, facts::Token>,
    pub apps: BTreeMap<label::App, facts::App>,
    pub connections: BTreeMap<label::Connection, facts::Connection>,
    /// The apps of all integrations, including deleted ones.
    pub installed: BTreeMap<label::Integration, label::App>,
    pub webhooks: delivery::Webhooks,
}

/// A request at work on a copy of the book. The copy replaces the book when the request succeeds.
pub struct Tx {
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
    /// Returns the book and the caller's permission. Callers without access and unknown books get
    /// 404, an insufficient permission 403 (7.4).
    pub fn enter(&self, caller: &Caller, may: &str) -> Result<(&Book, Permission), Refusal> {
        let book = self.books.get(&caller.book).ok_or_else(Refusal::missing)?;
        let permission = self.permission(book, caller.who).ok_or_else(Refusal::missing)?;
        if book.allows(permission, may) {
            Ok((book, permission))
        } else {
            Err(Refusal::forbidden())
        }
    }

    /// A collaborator's permission; other users are VIEWERs of a PUBLIC book (6.9).
    pub fn permission(&self, book: &Book, who: usize) -> Option<Permission> {
        let email = &self.users[who].email;
        let own =
            book.collaborators.values().find(|one| one.email == *email).map(|one| one.permission);
        own.or((book.settings.visibility == "PUBLIC").then_some(Permission::Viewer))
    }

    pub fn email(&self, email: &Email) -> String {
        match email {
            Email::Of(who) => self.users[*who].email.clone(),
            Email::Uppercase(who) => self.users[*who].email.to_uppercase(),
            Email::Text(text) => text.clone(),
        }
    }

    /// Runs a request that may change the book. A refused request changes nothing.
    pub fn write<T>(
        &mut self,
        caller: &Caller,
        may: &str,
        work: impl FnOnce(&mut Tx) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let (book, permission) = self.enter(caller, may)?;
        let mut tx = Tx::new(book.clone(), permission, caller, &self.users[caller.who].email);
        let answer = work(&mut tx)?;
        check_funds(book, &tx.book)?;
        self.keep(tx);
        Ok(answer)
    }

    fn keep(&mut self, tx: Tx) {
        let log = self.logs.entry(tx.book.label).or_default();
        let known = log.len();
        for event in tx.emitted {
            let sequence = i64::try_from(log.len()).expect("a short log") + 1;
            log.push(Event { sequence, ..event });
        }
        let new = log[known..].to_vec();
        self.queue_events(&tx.book, &new, tx.caller.depth);
        self.books.insert(tx.book.label, tx.book);
    }
}

impl Tx {
    pub fn new(book: Book, permission: Permission, caller: &Caller, email: &str) -> Tx {
        let today = dates::day(caller.now, &book.settings.zone);
        Tx {
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

    /// Records an event; it gets its number when the request succeeds.
    pub fn emit(&mut self, kind: EventType, resource: Resource) {
        let Caller { who, agent, now, .. } = self.caller.clone();
        self.emitted.push(Event { sequence: 0, kind, resource, user: who, agent, at: now });
    }

    /// Does a part of the work and undoes it if it fails.
    pub fn attempt<T, E>(&mut self, work: impl FnOnce(&mut Tx) -> Result<T, E>) -> Result<T, E> {
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
    /// Whether a permission allows an action; in a PUBLIC book a RECORDER sees what a VIEWER sees
    /// (7.3).
    pub fn allows(&self, permission: Permission, may: &str) -> bool {
        let sees = [may::READ_BOOK, may::READ_TRANSACTIONS, may::READ].contains(&may);
        let viewing = sees && self.settings.visibility == "PUBLIC";
        allowed(permission, may)
            || viewing && permission != Permission::None && allowed(Permission::Viewer, may)
    }

    /// The total of an account over all days, as people read it (4.24).
    fn total(&self, account: &facts::Account) -> i128 {
        let is_credit = matches!(account.kind, AccountType::Liability | AccountType::Incoming);
        let counted = self.transactions.values().filter(|one| one.counts());
        counted.fold(0, |total, one| {
            let amount = one.amount.unwrap_or_default();
            match [one.credit, one.debit].map(|side| side == Some(account.label)) {
                [true, _] => total + if is_credit { amount } else { -amount },
                [_, true] => total + if is_credit { -amount } else { amount },
                [false, false] => total,
            }
        })
    }
}

/// Refuses to lower the total of an account and leave it below its minimum (3.13).
fn check_funds(before: &Book, after: &Book) -> Result<(), Refusal> {
    let falls_short = |account: &facts::Account| {
        let [was, is] = [before, after].map(|book| book.total(account));
        account.min_balance.is_some_and(|least| is < was && is < least)
    };
    if after.accounts.values().any(falls_short) {
        Err(Refusal::new("insufficientFunds"))
    } else {
        Ok(())
    }
}

pub fn allowed(permission: Permission, may: &str) -> bool {
    permission != Permission::None && may.contains(&permission.as_str()[..1])
}

/// Applies the work to each item in order; a refusal has the index of its item (3.6.5).
pub fn each<I, T>(
    items: impl IntoIterator<Item = I>,
    mut work: impl FnMut(I) -> Result<T, Refusal>,
) -> Result<Vec<T>, Refusal> {
    let at_index = |(index, item)| {
        work(item).map_err(|refused| Refusal { item: refused.item.or(Some(index)), ..refused })
    };
    items.into_iter().enumerate().map(at_index).collect()
}
