//! What a query of transactions finds, from 1 and 2. The query is a tree and never a text here:
//! that both mean the same is what is put to the test.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::account::AccountType;
use daybook_domain::transaction::Standing;
use jiff::civil::Date;

use super::dates::{self, DateOperator, Literal, within};
use super::event::pages;
use super::group::is_permanent;
use super::text::{folded, property_key};
use super::{Book, Caller, Model, User, amount, may};
use crate::sim::body::Named;
use crate::sim::facts::{Refused, Row, Transaction};
use crate::sim::label;

#[derive(Clone, Debug)]
pub enum Ask {
    Term(Term),
    Not(Box<Ask>),
    All(Vec<Ask>),
    Any(Vec<Ask>),
}

#[derive(Clone, Debug)]
pub enum Term {
    Account(Named<label::Account>),
    From(Named<label::Account>),
    To(Named<label::Account>),
    Group(Named<label::Group>),
    Date(DateOperator, Literal),
    /// As in `amount>=10`.
    Amount(&'static str, String),
    /// The word behind `is:`.
    Is(&'static str),
    Tag(String),
    RemoteId(String),
    Property(String, Option<String>),
    Text(String),
    /// The number of a user.
    By(usize),
    Agent(String),
    Kind(AccountType),
    HasFile,
    HasUrl,
    /// Has an event that an app answered with an error, or has none.
    Error(bool),
    /// Cannot be read (1.1.9).
    Unreadable(Flaw),
}

/// A term that is read as less than it says, and the warning about it (1.1.13).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flaw {
    pub text: &'static str,
    pub warning: &'static str,
}

impl Flaw {
    pub const fn new(text: &'static str, warning: &'static str) -> Flaw {
        Flaw { text, warning }
    }
}

/// All of these; several `is:` terms are alternatives (1.2.1).
#[derive(Clone, Debug)]
pub struct Query {
    pub asks: Vec<Ask>,
    /// `using:postDate`.
    pub by_posting: bool,
    /// Behind all others.
    pub ignored: Vec<Flaw>,
}

/// The rows of a list in pages, and the one account it is about (2.8).
pub type Listed = (Vec<Vec<Row>>, Option<label::Account>);

/// What a term depends on besides the transaction.
struct Scene<'s> {
    book: &'s Book,
    users: &'s [User],
    today: Date,
    by_posting: bool,
    /// Those with an event that an app answered with an error.
    failed: &'s BTreeSet<label::Transaction>,
    eyes: Eyes,
}

/// What whoever looks may see.
#[derive(Clone, Copy)]
pub struct Eyes {
    who: usize,
    /// Accounts, groups and what apps said.
    sees_all: bool,
    /// The list of collaborators, and so the addresses of others.
    lists: bool,
}

impl Eyes {
    /// Those of an owner.
    pub const OPEN: Eyes = Eyes { who: 0, sees_all: true, lists: true };
}

impl Model {
    /// A transaction, trashed or not; a RECORDER sees its own drafts only.
    pub fn get_transaction(
        &self,
        book: label::Book,
        caller: &Caller,
        label: Option<label::Transaction>,
    ) -> Result<Transaction, Refused> {
        let (book, permission) = self.enter(book, caller, may::READ_TRANSACTIONS)?;
        let found = label.and_then(|label| book.transactions.get(&label));
        let visible =
            |one: &&Transaction| book.allows(permission, may::READ) || is_own_draft(one, caller);
        found.filter(visible).cloned().ok_or_else(Refused::missing)
    }

    pub fn list_transactions(
        &self,
        book: label::Book,
        caller: &Caller,
        query: &Query,
        limit: usize,
    ) -> Result<Listed, Refused> {
        let (book, permission) = self.enter(book, caller, may::READ_TRANSACTIONS)?;
        let today = dates::day(caller.now, &book.settings.zone);
        let failed = self.failed(book.label);
        let sees_all = book.allows(permission, may::READ);
        let email = &self.users[caller.who].email;
        let own = book.collaborators.values().find(|one| one.email == *email);
        let lists = own.is_some_and(|one| book.allows(one.permission, may::READ));
        let eyes = Eyes { who: caller.who, sees_all, lists };
        let mut found = book.find((&self.users, &failed), (today, eyes), query);
        if !sees_all {
            found.retain(|one| is_own_draft(one, caller));
        }
        let limit = if limit == 0 { 100 } else { limit.min(1000) };
        let account = query.account(book).filter(|_| sees_all);
        let running = account.map(|account| book.running(account)).unwrap_or_default();
        let row = |transaction: &Transaction| Row {
            balance: running.get(&transaction.label).copied(),
            transaction: transaction.clone(),
        };
        Ok((pages(found.into_iter().map(row).collect(), limit), account))
    }
}

impl Book {
    /// What a query finds, newest first; what is created later has the greater label (2.6).
    pub fn find(
        &self,
        (users, failed): (&[User], &BTreeSet<label::Transaction>),
        (today, eyes): (Date, Eyes),
        query: &Query,
    ) -> Vec<&Transaction> {
        let by_posting = query.by_posting;
        let scene = Scene { book: self, users, today, by_posting, failed, eyes };
        let mut found: Vec<&Transaction> =
            self.transactions.values().filter(|one| scene.takes(query, one)).collect();
        found.sort_by_key(|one| std::cmp::Reverse((one.day, one.label)));
        found
    }

    /// 2.9: what stands on a permanent account after each of its postings, by date and creation,
    /// whatever a query filters.
    fn running(&self, account: label::Account) -> BTreeMap<label::Transaction, i128> {
        if !is_permanent(self.accounts[&account].kind) {
            return BTreeMap::new();
        }
        let touches =
            |one: &&Transaction| one.counts() && [one.credit, one.debit].contains(&Some(account));
        let mut postings: Vec<&Transaction> = self.transactions.values().filter(touches).collect();
        postings.sort_by_key(|one| (one.date, one.label));
        let mut balance = 0;
        let step = |one: &Transaction| {
            let amount = one.amount.expect("a posting is complete");
            balance += if one.credit == Some(account) { amount } else { -amount };
            (one.label, balance)
        };
        postings.into_iter().map(step).collect()
    }
}

pub fn is_own_draft(transaction: &Transaction, caller: &Caller) -> bool {
    transaction.creator == caller.who && transaction.standing == Standing::Draft
}

impl Query {
    /// 1.2.2: trashed ones are found only by a non-negated `is:trashed`, wherever it stands.
    fn wants_trashed(&self) -> bool {
        fn wants(ask: &Ask, negated: bool) -> bool {
            match ask {
                Ask::Term(Term::Is("trashed")) => !negated,
                Ask::Term(_) => false,
                Ask::Not(inner) => wants(inner, !negated),
                Ask::All(inner) | Ask::Any(inner) => inner.iter().any(|ask| wants(ask, negated)),
            }
        }
        self.asks.iter().any(|ask| wants(ask, false))
    }

    /// 1.1.13: in the order of the text.
    pub fn warnings(&self) -> Vec<String> {
        fn gather(ask: &Ask, into: &mut Vec<Flaw>) {
            match ask {
                Ask::Term(Term::Unreadable(flaw)) => into.push(*flaw),
                Ask::Term(_) => {}
                Ask::Not(inner) => gather(inner, into),
                Ask::All(inner) | Ask::Any(inner) => {
                    inner.iter().for_each(|ask| gather(ask, into));
                }
            }
        }
        let mut flaws = Vec::new();
        self.asks.iter().for_each(|ask| gather(ask, &mut flaws));
        flaws.extend(&self.ignored);
        flaws.iter().map(|flaw| format!("{}: {}", flaw.text, flaw.warning)).collect()
    }

    /// 2.8: exactly one term that names an account, and it stands inside no NOT and no OR.
    fn account(&self, book: &Book) -> Option<label::Account> {
        fn count(ask: &Ask) -> usize {
            match ask {
                Ask::Term(term) => usize::from(term.account().is_some()),
                Ask::Not(inner) => count(inner),
                Ask::All(inner) | Ask::Any(inner) => inner.iter().map(count).sum(),
            }
        }
        if self.asks.iter().map(count).sum::<usize>() != 1 {
            return None;
        }
        let plain = self
            .asks
            .iter()
            .find_map(|ask| if let Ask::Term(term) = ask { term.account() } else { None });
        plain.and_then(|named| book.find_account(named)).map(|account| account.label)
    }
}

impl Term {
    fn account(&self) -> Option<&Named<label::Account>> {
        match self {
            Term::Account(named) | Term::From(named) | Term::To(named) => Some(named),
            _ => None,
        }
    }
}

impl Scene<'_> {
    fn takes(&self, query: &Query, transaction: &Transaction) -> bool {
        if transaction.trashed && !query.wants_trashed() {
            return false;
        }
        let is_state = |ask: &&Ask| matches!(ask, Ask::Term(Term::Is(_)));
        let mut states = query.asks.iter().filter(is_state).peekable();
        let state = states.peek().is_none()
            || states.any(|ask| self.matches(ask, transaction) == Some(true));
        state
            && query
                .asks
                .iter()
                .filter(|ask| !is_state(ask))
                .all(|ask| self.matches(ask, transaction) == Some(true))
    }

    /// Whether a transaction matches; nobody knows what a term that cannot be read means (1.1.9).
    fn matches(&self, ask: &Ask, transaction: &Transaction) -> Option<bool> {
        // One of these decides, whatever the others are; else all must be known.
        let joined = |inner: &[Ask], decides: bool| {
            let found: Vec<Option<bool>> =
                inner.iter().map(|ask| self.matches(ask, transaction)).collect();
            if found.contains(&Some(decides)) {
                return Some(decides);
            }
            (!found.contains(&None)).then_some(!decides)
        };
        match ask {
            Ask::Term(Term::Unreadable(_)) => None,
            Ask::Term(term) => Some(self.has(term, transaction)),
            Ask::Not(inner) => self.matches(inner, transaction).map(|found| !found),
            Ask::All(inner) => joined(inner, false),
            Ask::Any(inner) => joined(inner, true),
        }
    }

    fn has(&self, term: &Term, transaction: &Transaction) -> bool {
        let sides = [transaction.credit, transaction.debit];
        let is = |named, side: Option<label::Account>| {
            self.book.find_account(named).is_some_and(|account| side == Some(account.label))
        };
        match term {
            Term::Account(named) => sides.into_iter().any(|side| is(named, side)),
            Term::From(named) => is(named, transaction.credit),
            Term::To(named) => is(named, transaction.debit),
            // 1.2.6: what is not for their eyes is not found either.
            Term::Group(_) | Term::Kind(_) | Term::Error(_) if !self.eyes.sees_all => false,
            Term::By(who) if *who != self.eyes.who && !self.eyes.lists => false,
            Term::Group(named) => self.book.find_group(named).is_some_and(|group| {
                let below = self.book.below(group.label);
                sides
                    .into_iter()
                    .flatten()
                    .any(|side| !self.book.accounts[&side].groups.is_disjoint(&below))
            }),
            Term::Date(operator, literal) => self
                .day_of(transaction)
                .is_some_and(|day| within(day, literal.range(*operator, self.today))),
            Term::Amount(comparison, text) => {
                transaction.amount.is_some_and(|units| compares(units, comparison, text))
            }
            Term::Is(state) => is_in(transaction, state),
            Term::Tag(tag) => {
                transaction.tags.iter().any(|one| one.to_lowercase() == tag.to_lowercase())
            }
            Term::RemoteId(id) => transaction.remote_ids.contains(id),
            Term::Property(key, value) => {
                let found = transaction.properties.get(&property_key(key));
                found.is_some_and(|found| {
                    value.as_ref().is_none_or(|value| found.to_lowercase() == value.to_lowercase())
                })
            }
            Term::Text(text) => folded(&transaction.description).contains(&folded(text)),
            Term::By(who) => transaction.creator == *who && *who < self.users.len(),
            Term::Agent(agent) => transaction.stamp.agent.as_ref() == Some(agent),
            Term::Kind(kind) => {
                sides.into_iter().flatten().any(|side| self.book.accounts[&side].kind == *kind)
            }
            Term::HasFile => !transaction.files.is_empty(),
            Term::HasUrl => !transaction.urls.is_empty(),
            Term::Error(wanted) => self.failed.contains(&transaction.label) == *wanted,
            Term::Unreadable(_) => false,
        }
    }

    /// The day that date terms look at.
    fn day_of(&self, transaction: &Transaction) -> Option<Date> {
        if self.by_posting {
            transaction.posted_at.map(|at| dates::day(at, &self.book.settings.zone))
        } else {
            transaction.date
        }
    }
}

/// 3.1.1.
fn is_in(transaction: &Transaction, state: &str) -> bool {
    let own = match (transaction.trashed, transaction.standing) {
        (true, _) => "trashed",
        (false, Standing::Draft) => "draft",
        (false, Standing::Unchecked) => "unchecked",
        (false, Standing::Checked) => "checked",
    };
    own == state || state == "posted" && transaction.counts()
}

fn compares(units: i128, comparison: &str, text: &str) -> bool {
    let magnitude = match amount::read(text.trim_start_matches('-'), "DOT") {
        Ok(Some(amount::Reading::Value(fine))) => fine,
        Ok(Some(amount::Reading::Huge)) => i128::MAX,
        _ => 0,
    };
    let value = if text.starts_with('-') { -magnitude } else { magnitude };
    let fine = units * 10_000;
    match comparison {
        "<" => fine < value,
        "<=" => fine <= value,
        ">" => fine > value,
        ">=" => fine >= value,
        _ => fine == value,
    }
}
