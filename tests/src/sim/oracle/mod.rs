//! The model without the service: the expected answers of searches in a book that a test created
//! elsewhere and repeats here row by row.

mod search;

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::account::AccountType;
use jiff::civil::Date;

use super::facts::{Account, Group, Properties, Settings, Stamp};
use super::label;
use super::model::{Book, Caller, User, dates};

/// A book of the model.
pub struct Oracle {
    book: Book,
    /// The possible creators.
    users: Vec<User>,
    today: Date,
    accounts: BTreeMap<String, label::Account>,
    groups: BTreeMap<String, label::Group>,
}

/// No rule tested here depends on the time or the app.
const STAMP: Stamp = Stamp { agent: None, created: 0, updated: 0 };

impl Oracle {
    /// Creates an empty book, whose owner records everything.
    pub fn new(zone: &str, today: Date, username: &str, email: &str) -> Oracle {
        let settings = Settings {
            name: String::new(),
            auto_post: true,
            closing: None,
            lock: None,
            pattern: String::new(),
            separator: "DOT".to_owned(),
            digits: 2,
            zone: zone.to_owned(),
            visibility: "PRIVATE".to_owned(),
            properties: Properties::new(),
        };
        let caller = Caller { who: 0, book: label::Book(0), agent: None, depth: 0, now: 0 };
        let owner = label::Collaborator(0);
        let book = Book::founded(&caller, email, caller.book, owner, settings, 2);
        let users = vec![User { email: email.to_owned(), username: username.to_owned() }];
        let (accounts, groups) = (BTreeMap::new(), BTreeMap::new());
        Oracle { book, users, today, accounts, groups }
    }

    /// Adds a group below another; "" for a root. Parents come first.
    pub fn group(&mut self, name: &str, parent: &str) {
        let label = label::Group(number(self.groups.len()));
        let group = Group {
            label,
            name: name.to_owned(),
            parent: (!parent.is_empty()).then(|| self.groups[parent]),
            hidden: false,
            locked: false,
            properties: Properties::new(),
            stamp: STAMP,
        };
        self.book.groups.insert(label, group);
        self.groups.insert(name.to_owned(), label);
    }

    /// Adds an account to groups.
    pub fn account<'g>(
        &mut self,
        name: &str,
        kind: AccountType,
        archived: bool,
        groups: impl IntoIterator<Item = &'g str>,
    ) {
        let label = label::Account(number(self.accounts.len()));
        let groups: BTreeSet<label::Group> =
            groups.into_iter().map(|group| self.groups[group]).collect();
        let account = Account {
            label,
            name: name.to_owned(),
            kind,
            archived,
            posted: true,
            min_balance: None,
            groups,
            properties: Properties::new(),
            stamp: STAMP,
        };
        self.book.accounts.insert(label, account);
        self.accounts.insert(name.to_owned(), label);
    }

    fn next(&self) -> label::Transaction {
        label::Transaction(number(self.book.transactions.len()))
    }
}

fn number(length: usize) -> u32 {
    u32::try_from(length).expect("a small book")
}

/// Parses `yyyy-MM-dd`.
fn day(iso: &str) -> Date {
    dates::parse(iso).expect("a day of four digits of year")
}
