//! Copies of books, from behaviour 6.6 and 6.14.

use std::collections::BTreeMap;

use daybook_domain::event::EventType;
use daybook_domain::permission::Permission;
use jiff::civil::Date;

use super::text::checked_name;
use super::{Book, Caller, Model, Turn, allowed, dates, may};
use crate::sim::facts::{
    self, Account, Group, Refused, Resource, SavedQuery, Settings, Transaction,
};
use crate::sim::label;

/// What is asked of a copy.
#[derive(Clone, Debug)]
pub struct Copying {
    pub book: label::Book,
    /// The owner's row in the list of collaborators.
    pub owner: label::Collaborator,
    pub name: Option<String>,
    pub transactions: bool,
    pub from: Option<String>,
    /// What is copied has the label of its original, plus this.
    pub labels: u32,
}

impl Model {
    pub fn copy_book(
        &mut self,
        source: label::Book,
        caller: &Caller,
        copying: &Copying,
    ) -> Result<facts::Book, Refused> {
        let (source, permission) = self.enter(source, caller, may::READ)?;
        if copying.transactions && !allowed(permission, may::OWN) {
            return Err(Refused::forbidden());
        }
        let name = checked_name(copying.name.as_deref())?;
        let from = copying.from.as_deref().map(first_day).transpose()?;
        let email = self.users[caller.who].email.clone();
        let settings = Settings {
            name,
            closing: None,
            lock: None,
            visibility: "PRIVATE".to_owned(),
            ..source.settings.clone()
        };
        let mut book =
            Book::founded(caller, &email, (copying.book, copying.owner), (settings, source.scale));
        copying.fill(&mut book, source, caller, from);
        let mut turn = Turn::new(book, Permission::Owner, caller, &email);
        turn.emit(EventType::BookCreated, Resource::Book(copying.book), BTreeMap::new());
        self.keep(turn);
        Ok(self.shown(&self.books[&copying.book], Permission::Owner, caller))
    }
}

impl Copying {
    fn fill(&self, book: &mut Book, source: &Book, caller: &Caller, from: Option<Date>) {
        let stamp = caller.stamp();
        for group in source.groups.values() {
            let parent = group.parent.map(|parent| self.group(parent));
            let copy = Group {
                label: self.group(group.label),
                parent,
                stamp: stamp.clone(),
                ..group.clone()
            };
            book.groups.insert(copy.label, copy);
        }
        for account in source.accounts.values() {
            let groups = account.groups.iter().map(|group| self.group(*group)).collect();
            // Posted is what is posted in this book.
            let copy = Account {
                label: self.account(account.label),
                groups,
                posted: false,
                stamp: stamp.clone(),
                ..account.clone()
            };
            book.accounts.insert(copy.label, copy);
        }
        for saved in source.saved.values() {
            let copy = SavedQuery {
                label: label::SavedQuery(saved.label.0 + self.labels),
                stamp: stamp.clone(),
                ..saved.clone()
            };
            book.saved.insert(copy.label, copy);
        }
        let taken = |one: &&Transaction| {
            self.transactions && !one.trashed && from.is_none_or(|from| one.day >= from)
        };
        for one in source.transactions.values().filter(taken) {
            book.put(Transaction {
                label: label::Transaction(one.label.0 + self.labels),
                credit: one.credit.map(|side| self.account(side)),
                debit: one.debit.map(|side| self.account(side)),
                posted_at: one.posted_at.map(|_| caller.now),
                files: Vec::new(),
                creator: caller.who,
                stamp: stamp.clone(),
                ..one.clone()
            });
        }
    }

    pub fn account(&self, original: label::Account) -> label::Account {
        label::Account(original.0 + self.labels)
    }

    pub fn group(&self, original: label::Group) -> label::Group {
        label::Group(original.0 + self.labels)
    }
}

/// `yyyyMMdd`.
pub fn first_day(text: &str) -> Result<Date, Refused> {
    let digits = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    let dashed = || format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..]);
    if digits { dates::parse(&dashed()).ok_or_else(Refused::bad) } else { Err(Refused::bad()) }
}
