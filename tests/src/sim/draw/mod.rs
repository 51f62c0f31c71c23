//! Random operations. Most draws are valid in the current state of the model; an unrestricted draw
//! may be anything.

mod file;

use daybook_domain::account::AccountType;
use daybook_domain::field::Field;
use daybook_domain::property::Edits;
use jiff::ToSpan as _;
use jiff::civil::Date;

use super::body::{AccountBody, GroupBody, Id, Named, TransactionBody};
use super::facts::{App, Role, Transaction};
use super::label;
use super::model::app::Visitor;
use super::model::dates::{self, DateOperator, Literal};
use super::model::{Book, Caller, Model};
use crate::rng::Rng;

/// Names that collide: some differ only in case, diacritics or punctuation.
const NAMES: [&str; 22] = [
    "Cash",
    "cash",
    "Cäsh",
    "Bank",
    "bank_",
    "Credit Card",
    "credit-card",
    "Salary",
    "Food",
    "Rent",
    "Loan",
    "Owner's Equity",
    "Łódź Straße",
    "Travel",
    "Interest",
    "Taxes",
    "Fees",
    "Stock",
    "Receivables",
    "Payables",
    "Gifts",
    "Savings",
];
const BAD_NAMES: [&str; 3] = ["", "  ", "_-"];
const AMOUNTS: [&str; 12] = [
    "1",
    "12.50",
    "0.01",
    "100",
    "1234.567",
    "99.995",
    "1e2",
    "7.",
    "0.5",
    "250.00",
    "3.33333333",
    "1000000",
];
/// Invalid, too large, too small, or ambiguous between books with different punctuation.
const UNUSUAL_AMOUNTS: [&str; 15] = [
    "0",
    "",
    "-0",
    "0.0000000001",
    "-1",
    "abc",
    "1e30",
    "92233720368547758.07",
    "92233720368547758.08",
    "1,234.56",
    "1.234,56",
    "12,34",
    "92233720369",
    "1 000",
    "0.004",
];
pub const TEXTS: [&str; 8] = [
    "",
    "lunch",
    "Lunch #food",
    "#Food and #home",
    "café #home",
    "x#food,#food",
    "bus for May",
    "#travel #a #A",
];
pub const TAGS: [&str; 6] = ["food", "Food", "home", "travel", "a", "nowhere"];
pub const WORDS: [&str; 6] = ["lunch", "cafe", "bus for", "MAY", "nowhere", "food"];
const REMOTE_IDS: [&str; 6] = ["r1", "r2", "r3", "r4", "r5", "r6"];
pub const PROPERTIES: [&str; 6] = ["testKey", "k", "hidden_", "My Key", "name", "entry_id"];
const VALUES: [&str; 4] = ["v", "V 2", "other", ""];
pub const AGENTS: [&str; 2] = ["bot", "importer"];
pub const KINDS: [AccountType; 4] = AccountType::ALL;

pub struct Draw<'d> {
    pub rng: &'d mut Rng,
    pub model: &'d Model,
    pub caller: &'d Caller,
    /// The book of the operation.
    pub book: label::Book,
    /// Whether the draw may be invalid.
    pub unrestricted: bool,
    /// The last assigned label.
    pub last: &'d mut u32,
}

impl Draw<'_> {
    pub fn label<L: From<u32>>(&mut self) -> L {
        *self.last += 1;
        L::from(*self.last)
    }

    /// Assigns consecutive labels and returns the first.
    pub fn labels<L: From<u32>>(&mut self, count: u32) -> L {
        let first = self.label();
        *self.last += count - 1;
        first
    }

    /// True with a probability of one in `count`.
    pub fn one_in(&mut self, count: u64) -> bool {
        self.rng.below(count) == 0
    }

    /// A number from 0 up to, but not including, `end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.rng.below(u64::try_from(end.max(1)).expect("small"))).expect("small")
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    pub fn one_of<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        if from.is_empty() { None } else { Some(self.pick(from)) }
    }

    /// Usually one of these; an unrestricted draw may return an unknown id.
    pub fn id_of<L: Clone>(&mut self, known: &[L]) -> Id<L> {
        if self.unrestricted && self.one_in(4) {
            return Id::Unknown;
        }
        self.one_of(known).map_or(Id::Unknown, Id::Of)
    }

    pub fn state(&self) -> Option<&Book> {
        self.model.books.get(&self.book)
    }

    pub fn today(&self) -> Date {
        dates::day(self.caller.now, self.state().map_or("UTC", |book| book.settings.zone.as_str()))
    }

    pub fn name(&mut self) -> String {
        if self.unrestricted && self.one_in(10) {
            return self.pick(&BAD_NAMES).to_owned();
        }
        let name = self.pick(&NAMES).to_owned();
        // A name with a number is rarely in use.
        if self.unrestricted || self.one_in(4) {
            name
        } else {
            format!("{name} {}", self.below(60))
        }
    }

    /// The number of items of a batch: mostly small, sometimes zero.
    pub fn count(&mut self) -> usize {
        if self.one_in(20) { 0 } else { 1 + self.below(5) }
    }

    /// An account of the book; an unrestricted draw also returns others.
    pub fn account(&mut self) -> Option<label::Account> {
        let unrestricted = self.unrestricted && self.one_in(4);
        let known: Vec<label::Account> = if unrestricted {
            self.model.books.values().flat_map(|book| book.accounts.keys().copied()).collect()
        } else {
            self.state().map(|book| book.accounts.keys().copied().collect()).unwrap_or_default()
        };
        self.one_of(&known)
    }

    /// A reference to an account in a body.
    pub fn account_named(&mut self) -> Named<label::Account> {
        if self.unrestricted && self.one_in(4) {
            let name = self.name();
            return match self.below(5) {
                0 => Named::unknown(),
                1 => Named::foreign(&name),
                2 => Named::blank(),
                3 => Named::name("Nowhere"),
                _ => Named::name(&name),
            };
        }
        let Some(label) = self.account() else { return Named::unknown() };
        let name = self.state().and_then(|book| book.accounts.get(&label));
        let name = name.map(|account| account.name.clone());
        match (self.below(4), name) {
            (0, Some(name)) => Named::name(&name),
            (1, Some(name)) => Named::foreign(&name.to_uppercase()),
            _ => Named::id(label),
        }
    }

    pub fn group(&mut self) -> Option<label::Group> {
        let known: Vec<label::Group> =
            self.state().map(|book| book.groups.keys().copied().collect()).unwrap_or_default();
        self.one_of(&known)
    }

    pub fn group_named(&mut self) -> Named<label::Group> {
        if self.unrestricted && self.one_in(4) {
            return if self.one_in(2) { Named::unknown() } else { Named::name("Nowhere") };
        }
        let Some(label) = self.group() else { return Named::unknown() };
        let name =
            self.state().and_then(|book| book.groups.get(&label)).map(|group| group.name.clone());
        match (self.below(3), name) {
            (0, Some(name)) => Named::name(&name),
            _ => Named::id(label),
        }
    }

    pub fn transaction(
        &mut self,
        fits: impl Fn(&Transaction) -> bool,
    ) -> Option<label::Transaction> {
        let all: Vec<&Transaction> =
            self.state().map(|book| book.transactions.values().collect()).unwrap_or_default();
        let known: Vec<label::Transaction> =
            all.into_iter().filter(|one| fits(one)).map(|one| one.label).collect();
        self.one_of(&known)
    }

    /// The day of a random transaction.
    pub fn day_of_one(&mut self) -> Option<Date> {
        let label = self.transaction(|one| one.date.is_some())?;
        self.state()?.transactions.get(&label)?.date
    }

    /// A day near today; an unrestricted draw may return an invalid date.
    pub fn date(&mut self) -> String {
        if self.unrestricted && self.one_in(4) {
            return self.pick(&["", "2025-02-30", "yesterday", "2025-1-1", "20250101"]).to_owned();
        }
        let span = if self.one_in(8) { 900 } else { 70 };
        let back = i32::try_from(self.below(span)).expect("small");
        let ahead = i32::try_from(self.below(20)).expect("small");
        (self.today() - back.days() + ahead.days()).to_string()
    }

    pub fn amount(&mut self) -> String {
        if self.unrestricted && self.one_in(3) {
            self.pick(&UNUSUAL_AMOUNTS).to_owned()
        } else {
            self.pick(&AMOUNTS).to_owned()
        }
    }

    pub fn properties(&mut self) -> Edits {
        let mut edits = Edits::new();
        if !self.one_in(4) {
            return edits;
        }
        let key = self.pick(&PROPERTIES).to_owned();
        let value = if self.one_in(5) { None } else { Some(self.pick(&VALUES).to_owned()) };
        edits.insert(key, value);
        if self.unrestricted && self.one_in(4) {
            let key = self.pick(&[" ", "a key of more than thirty letters"]).to_owned();
            edits.insert(key, Some("v".to_owned()));
        }
        edits
    }

    /// The body of a create.
    pub fn new_transaction(&mut self) -> TransactionBody {
        let label = self.label();
        let (credit, debit) = (self.side(), self.side());
        // Only unrestricted draws use the same account twice.
        let debit = if debit == credit && !self.unrestricted { Field::Keep } else { debit };
        TransactionBody {
            date: if self.one_in(12) { Field::Keep } else { Field::Set(self.date()) },
            amount: if self.one_in(15) { Field::Clear } else { Field::Set(self.amount()) },
            description: Field::Set(self.pick(&TEXTS).to_owned()),
            credit,
            debit,
            checked: self.one_in(6),
            draft: self.one_in(6),
            urls: self.one_in(10).then(|| vec!["https://example.com/1".to_owned()]),
            remote_ids: self.one_in(4).then(|| self.remote_ids()),
            files: self.one_in(10).then(|| self.attachments()),
            properties: self.properties(),
            ..TransactionBody::empty(label)
        }
    }

    fn side(&mut self) -> Field<Named<label::Account>> {
        if self.one_in(15) { Field::Keep } else { Field::Set(self.account_named()) }
    }

    fn remote_ids(&mut self) -> Vec<String> {
        let mut ids: Vec<String> = (0..1 + self.below(2)).map(|_| self.remote_id()).collect();
        if self.unrestricted && self.one_in(4) {
            ids.push(self.pick(&["", " r1 ", &"r".repeat(257)]).to_owned());
        }
        ids
    }

    /// One of a few ids, or one of a transaction, such as the link of a merge.
    pub fn remote_id(&mut self) -> String {
        let linked =
            if self.one_in(6) { self.transaction(|one| !one.remote_ids.is_empty()) } else { None };
        let ids = linked
            .and_then(|label| self.state()?.transactions.get(&label))
            .map(|one| one.remote_ids.clone());
        match ids {
            Some(ids) => self.pick(&ids),
            None => self.pick(&REMOTE_IDS).to_owned(),
        }
    }

    /// The body of an update: some fields of a create.
    pub fn changed_transaction(&mut self, id: Option<Id<label::Transaction>>) -> TransactionBody {
        let mut body = TransactionBody { id, ..self.new_transaction() };
        for field in [&mut body.date, &mut body.amount, &mut body.description] {
            match self.rng.below(8) {
                0..4 => *field = Field::Keep,
                4 if self.unrestricted => *field = Field::Clear,
                _ => {}
            }
        }
        if self.one_in(2) {
            (body.credit, body.debit) = (Field::Keep, Field::Keep);
        }
        body.round_trip = self.one_in(8);
        body.checked = self.one_in(10);
        body
    }

    pub fn new_account(&mut self) -> AccountBody {
        AccountBody {
            label: self.label(),
            id: None,
            name: Some(self.name()),
            kind: self.one_in(2).then(|| self.pick(&KINDS)),
            nature: self.one_in(6).then(|| (self.one_in(2), self.one_in(2))),
            archived: self.one_in(10).then_some(true),
            groups: if self.one_in(2) { Field::Keep } else { Field::Set(self.groups()) },
            min_balance: self.min_balance(),
            properties: self.properties(),
        }
    }

    fn min_balance(&mut self) -> Field<String> {
        match self.pick(&[None, None, None, None, Some("0"), Some("-12.345"), Some("5"), Some("")])
        {
            None if self.unrestricted && self.one_in(20) => Field::Set("least".to_owned()),
            None => Field::Keep,
            Some(text) => Field::Set(text.to_owned()),
        }
    }

    pub fn changed_account(&mut self) -> AccountBody {
        let id =
            if self.one_in(8) { None } else { Some(self.account().map_or(Id::Unknown, Id::Of)) };
        AccountBody {
            id,
            name: if id.is_none() || self.one_in(3) { Some(self.name()) } else { None },
            kind: self.one_in(4).then(|| self.pick(&KINDS)),
            nature: None,
            archived: self.one_in(4).then(|| self.one_in(3)),
            groups: if self.one_in(3) { Field::Set(self.groups()) } else { Field::Keep },
            ..self.new_account()
        }
    }

    /// Usually an app that the caller can see.
    pub fn app(&mut self) -> label::App {
        let (any, visitor) = (self.one_in(8), Visitor::from(self.caller));
        let seen = |app: &&App| any || app.role(visitor) != Role::Unrelated;
        let known: Vec<label::App> =
            self.model.apps.values().filter(seen).map(|app| app.label).collect();
        let unknown = known.is_empty() || self.unrestricted && self.one_in(6);
        if unknown { label::App(0) } else { self.pick(&known) }
    }

    /// Usually a connection of the caller.
    pub fn connection(&mut self) -> Id<label::Connection> {
        let any = self.unrestricted && self.one_in(3);
        let who = self.caller.who;
        let known = self.model.connections.values().filter(|one| any || one.owner == who);
        let known: Vec<label::Connection> = known.map(|one| one.label).collect();
        self.id_of(&known)
    }

    /// Two accounts that swap names through a third one.
    pub fn accounts_swapped(&mut self) -> Vec<AccountBody> {
        let (Some(a), Some(b)) = (self.account(), self.account()) else { return Vec::new() };
        let name = |label| self.state()?.accounts.get(&label).map(|one| one.name.clone());
        let names = [(a, Some("Between".to_owned())), (b, name(a)), (a, name(b))];
        let renaming = |(label, name)| AccountBody {
            label: label::Account(0),
            id: Some(Id::Of(label)),
            name,
            kind: None,
            nature: None,
            archived: None,
            groups: Field::Keep,
            min_balance: Field::Keep,
            properties: Edits::new(),
        };
        names.map(renaming).into()
    }

    /// Two groups that swap names through a third one.
    pub fn groups_swapped(&mut self) -> Vec<GroupBody> {
        let (Some(a), Some(b)) = (self.group(), self.group()) else { return Vec::new() };
        let name = |label| self.state()?.groups.get(&label).map(|one| one.name.clone());
        let names = [(a, Some("Between".to_owned())), (b, name(a)), (a, name(b))];
        let renaming = |(label, name)| GroupBody {
            label: label::Group(0),
            id: Some(Id::Of(label)),
            name,
            parent: Field::Keep,
            hidden: None,
            locked: None,
            properties: Edits::new(),
        };
        names.map(renaming).into()
    }

    fn groups(&mut self) -> Vec<Named<label::Group>> {
        let some = self.unrestricted || self.group().is_some();
        (0..if some { self.below(3) } else { 0 }).map(|_| self.group_named()).collect()
    }

    pub fn new_group(&mut self) -> GroupBody {
        let rooted = self.one_in(2) || (!self.unrestricted && self.group().is_none());
        GroupBody {
            label: self.label(),
            id: None,
            name: Some(self.name()),
            parent: if rooted { Field::Keep } else { Field::Set(self.group_named()) },
            hidden: self.one_in(5).then_some(true),
            locked: self.one_in(10).then_some(true),
            properties: self.properties(),
        }
    }

    pub fn changed_group(&mut self) -> GroupBody {
        let id = if self.one_in(8) { None } else { Some(self.group().map_or(Id::Unknown, Id::Of)) };
        let parent = match self.below(4) {
            0 => Field::Clear,
            1 => Field::Set(self.group_named()),
            _ => Field::Keep,
        };
        GroupBody {
            id,
            name: if id.is_none() || self.one_in(3) { Some(self.name()) } else { None },
            parent,
            hidden: self.one_in(3).then(|| self.one_in(2)),
            locked: self.one_in(6).then(|| self.one_in(3)),
            ..self.new_group()
        }
    }

    pub fn date_term(&mut self) -> (DateOperator, Literal) {
        let operator = self.pick(&[DateOperator::On, DateOperator::After, DateOperator::Before]);
        (operator, self.literal())
    }

    fn literal(&mut self) -> Literal {
        let back = i32::try_from(self.below(200)).expect("small");
        let day = self.today() - back.days() + 30.days();
        let offset = i32::try_from(self.below(6)).expect("small") - 4;
        match self.below(6) {
            0 => Literal::Day(day),
            1 => Literal::Month(day.year(), day.month()),
            2 => Literal::Year(day.year()),
            3 => Literal::Variable('d', offset * 9),
            4 => Literal::Variable('m', offset),
            _ => Literal::Variable('y', offset / 2),
        }
    }
}
