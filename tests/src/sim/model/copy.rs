//! Copies of books, from behaviour 6.6 and 6.14.

use std::collections::BTreeSet;

use daybook_domain::account::AccountType;
use daybook_domain::event::EventType;
use daybook_domain::permission::Permission;
use daybook_domain::transaction::Standing;
use jiff::civil::Date;

use super::group::is_permanent;
use super::text::{checked_title, normalized};
use super::{Book, Caller, Model, Tx, allowed, dates, may};
use crate::sim::facts::{
    self, Account, Group, Properties, Refusal, Resource, SavedQuery, Settings, Transaction,
};
use crate::sim::label;

/// The options of a copy.
#[derive(Clone, Debug)]
pub struct CopyOptions {
    pub book: label::Book,
    /// The owner's collaborator row.
    pub owner: label::Collaborator,
    pub name: Option<String>,
    pub transactions: bool,
    pub from: Option<String>,
    /// Whether permanent accounts start with their balances of the day before (6.19).
    pub opening: bool,
    /// The label offset. A copied resource has the label of its original plus this. Labels grow
    /// with age, and opening balances are older than copied transactions: an opening balance has
    /// the label of its account's original plus this, a copied transaction its original's plus
    /// twice this.
    pub labels: u32,
}

impl Model {
    pub fn copy_book(
        &mut self,
        caller: &Caller,
        options: &CopyOptions,
    ) -> Result<facts::Book, Refusal> {
        let (source, permission) = self.enter(caller, may::READ)?;
        if options.transactions && !allowed(permission, may::OWN) {
            return Err(Refusal::forbidden());
        }
        let name = checked_title(options.name.as_deref())?;
        let from = options.from.as_deref().map(first_day).transpose()?;
        let email = self.users[caller.who].email.clone();
        let settings = Settings {
            name,
            closing: None,
            lock: None,
            visibility: "PRIVATE".to_owned(),
            ..source.settings.clone()
        };
        let mut book =
            Book::founded(caller, &email, options.book, options.owner, settings, source.scale);
        options.fill(&mut book, source, caller, from);
        let mut tx = Tx::new(book, Permission::Owner, caller, &email);
        tx.emit(EventType::BookCreated, Resource::Book(options.book));
        self.keep(tx);
        Ok(self.shown(&self.books[&options.book], Permission::Owner, caller))
    }
}

impl CopyOptions {
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
            // `posted` refers to this book only.
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
        if let Some(from) = from.filter(|_| self.transactions && self.opening) {
            self.open(book, source, caller, from);
        }
        let taken = |one: &&Transaction| {
            self.transactions && !one.trashed && from.is_none_or(|from| one.day >= from)
        };
        for one in source.transactions.values().filter(taken) {
            book.put(Transaction {
                label: self.transaction(one.label),
                credit: one.credit.map(|side| self.account(side)),
                debit: one.debit.map(|side| self.account(side)),
                posted_at: one.posted_at.map(|_| caller.now),
                files: Vec::new(),
                comments: 0,
                creator: caller.who,
                stamp: stamp.clone(),
                ..one.clone()
            });
        }
    }

    /// Adds the opening balances (6.19).
    fn open(&self, book: &mut Book, source: &Book, caller: &Caller, from: Date) {
        let Ok(day) = from.yesterday() else { return };
        let raw = |account: label::Account| -> i128 {
            let before = source.transactions.values().filter(|one| one.counts() && one.day < from);
            let entries = before.flat_map(|one| {
                let amount = one.amount.expect("posted ones have an amount");
                [(one.credit, amount), (one.debit, -amount)]
            });
            entries.filter(|(side, _)| *side == Some(account)).map(|(_, amount)| amount).sum()
        };
        let own = source.accounts.values().find(|one| normalized(&one.name) == "opening_balances");
        let against = own.map_or(self.opening_account(), |one| self.account(one.label));
        for account in source.accounts.values().filter(|one| is_permanent(one.kind)) {
            let (copy, balance) = (self.account(account.label), raw(account.label));
            if balance == 0 || copy == against {
                continue;
            }
            book.accounts.entry(against).or_insert_with(|| Account {
                label: against,
                name: "Opening balances".to_owned(),
                kind: AccountType::Liability,
                archived: false,
                posted: false,
                min_balance: None,
                groups: BTreeSet::new(),
                properties: Properties::new(),
                stamp: caller.stamp(),
            });
            let (credit, debit) = if balance > 0 { (copy, against) } else { (against, copy) };
            book.put(Transaction {
                label: self.opening(account.label),
                date: Some(day),
                day,
                amount: Some(balance.abs()),
                description: "Opening balances".to_owned(),
                tags: Vec::new(),
                credit: Some(credit),
                debit: Some(debit),
                standing: Standing::Unchecked,
                trashed: false,
                posted_at: Some(caller.now),
                properties: Properties::new(),
                urls: Vec::new(),
                remote_ids: Vec::new(),
                files: Vec::new(),
                comments: 0,
                creator: caller.who,
                stamp: caller.stamp(),
            });
        }
    }

    /// The label of the opening balance of an account.
    pub fn opening(&self, original: label::Account) -> label::Transaction {
        label::Transaction(original.0 + self.labels)
    }

    /// The label of the copy of a transaction.
    pub fn transaction(&self, original: label::Transaction) -> label::Transaction {
        label::Transaction(original.0.saturating_add(2 * self.labels))
    }

    /// The label of a newly created opening account.
    pub fn opening_account(&self) -> label::Account {
        label::Account(3 * self.labels)
    }

    pub fn account(&self, original: label::Account) -> label::Account {
        label::Account(original.0 + self.labels)
    }

    pub fn group(&self, original: label::Group) -> label::Group {
        label::Group(original.0 + self.labels)
    }
}

/// Parses `yyyyMMdd`.
pub fn first_day(text: &str) -> Result<Date, Refusal> {
    let digits = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    let dashed = || format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..]);
    if digits { dates::parse(&dashed()).ok_or_else(Refusal::bad) } else { Err(Refusal::bad()) }
}
