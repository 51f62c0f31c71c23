//! The transactions that a query finds, from behaviour 1 and 2. Here a query is a tree, never a
//! text: the simulation tests that the service parses the text to the same meaning.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::account::AccountType;
use daybook_domain::transaction::Standing;
use jiff::civil::Date;

use super::dates::{self, DateOperator, Literal, within};
use super::group::is_permanent;
use super::text::{folded, property_key};
use super::{Book, Caller, Model, User, may};
use crate::sim::body::Named;
use crate::sim::facts::{Refusal, Row, Transaction};
use crate::sim::label;

#[derive(Clone, Debug)]
pub enum Clause {
    Term(Term),
    Not(Box<Clause>),
    All(Vec<Clause>),
    Any(Vec<Clause>),
}

#[derive(Clone, Debug)]
pub enum Term {
    Account(Named<label::Account>),
    From(Named<label::Account>),
    To(Named<label::Account>),
    Group(Named<label::Group>),
    Date(DateOperator, Literal),
    /// A comparison, such as `amount>=10`, in units of 10^-8.
    Amount(&'static str, i128),
    /// The word after `is:`.
    Is(&'static str),
    Tag(String),
    RemoteId(String),
    Property(String, Option<String>),
    Text(String),
    /// The creator, by the number of the user.
    By(usize),
    Agent(String),
    Kind(AccountType),
    HasFile,
    HasUrl,
    HasComment,
    /// Whether an app answered an event of the transaction with an error.
    Error(bool),
    /// A term that cannot be parsed (1.1.9).
    Unreadable(&'static str),
}

/// A conjunction of terms; several `is:` terms are alternatives (1.2.1).
#[derive(Clone, Debug, Default)]
pub struct Query {
    pub clauses: Vec<Clause>,
    /// `using:postDate`.
    pub by_posting: bool,
    /// A term that lists ignore (1.1.13), after all others.
    pub ignored: Option<&'static str>,
}

/// The rows of a list, and the single account it is about (2.8).
pub type Listed = (Vec<Row>, Option<label::Account>);

/// The context of a term besides the transaction.
struct MatchContext<'s> {
    book: &'s Book,
    users: &'s [User],
    today: Date,
    by_posting: bool,
    /// The transactions with an event that an app answered with an error.
    failed: &'s BTreeSet<label::Transaction>,
    eyes: Visibility,
}

/// The visibility of the caller.
#[derive(Clone, Copy)]
pub struct Visibility {
    who: usize,
    /// Accounts, groups and app responses.
    sees_all: bool,
    /// The list of collaborators, and so the addresses of other users.
    lists: bool,
    /// Comments (3.14.2).
    comments: bool,
}

impl Visibility {
    /// The visibility of an owner.
    pub const OPEN: Visibility = Visibility { who: 0, sees_all: true, lists: true, comments: true };
}

impl Model {
    /// Finds a transaction, trashed or not; a RECORDER sees only its own drafts.
    pub fn get_transaction(
        &self,
        caller: &Caller,
        label: Option<label::Transaction>,
    ) -> Result<Transaction, Refusal> {
        let (book, permission) = self.enter(caller, may::READ_TRANSACTIONS)?;
        let found = label.and_then(|label| book.transactions.get(&label));
        let visible =
            |one: &&Transaction| book.allows(permission, may::READ) || is_own_draft(one, caller);
        found.filter(visible).cloned().ok_or_else(Refusal::missing)
    }

    pub fn list_transactions(&self, caller: &Caller, query: &Query) -> Result<Listed, Refusal> {
        let (book, permission) = self.enter(caller, may::READ_TRANSACTIONS)?;
        let today = dates::day(caller.now, &book.settings.zone);
        let failed = self.failed(book.label);
        let sees_all = book.allows(permission, may::READ);
        let email = &self.users[caller.who].email;
        let own = book.collaborators.values().find(|one| one.email == *email);
        let lists = own.is_some_and(|one| book.allows(one.permission, may::READ));
        let comments = own.is_some();
        let eyes = Visibility { who: caller.who, sees_all, lists, comments };
        let mut found = book.find(&self.users, &failed, today, eyes, query);
        if !sees_all {
            found.retain(|one| is_own_draft(one, caller));
        }
        let account = query.account(book).filter(|_| sees_all);
        let running = account.map(|account| book.running(account)).unwrap_or_default();
        let row = |transaction: &Transaction| Row {
            balance: running.get(&transaction.label).copied(),
            transaction: transaction.clone(),
        };
        Ok((found.into_iter().map(row).collect(), account))
    }
}

impl Book {
    /// The transactions that a query finds, newest first. Later transactions have greater labels
    /// (2.6).
    pub fn find(
        &self,
        users: &[User],
        failed: &BTreeSet<label::Transaction>,
        today: Date,
        eyes: Visibility,
        query: &Query,
    ) -> Vec<&Transaction> {
        let by_posting = query.by_posting;
        let scene = MatchContext { book: self, users, today, by_posting, failed, eyes };
        let mut found: Vec<&Transaction> =
            self.transactions.values().filter(|one| scene.takes(query, one)).collect();
        found.sort_by_key(|one| std::cmp::Reverse((one.day, one.label)));
        found
    }

    /// The running balance of a permanent account after each posting, by date and creation,
    /// independent of the filter (2.9).
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
    /// Whether trashed transactions are included: a non-negated `is:trashed` anywhere in the query
    /// (1.2.2).
    fn wants_trashed(&self) -> bool {
        fn wants(clause: &Clause, negated: bool) -> bool {
            match clause {
                Clause::Term(Term::Is("trashed")) => !negated,
                Clause::Term(_) => false,
                Clause::Not(inner) => wants(inner, !negated),
                Clause::All(inner) | Clause::Any(inner) => {
                    inner.iter().any(|clause| wants(clause, negated))
                }
            }
        }
        self.clauses.iter().any(|clause| wants(clause, false))
    }

    /// The account of the only account term, if no NOT and no OR contains it (2.8).
    fn account(&self, book: &Book) -> Option<label::Account> {
        fn count(clause: &Clause) -> usize {
            match clause {
                Clause::Term(term) => usize::from(term.account().is_some()),
                Clause::Not(inner) => count(inner),
                Clause::All(inner) | Clause::Any(inner) => inner.iter().map(count).sum(),
            }
        }
        if self.clauses.iter().map(count).sum::<usize>() != 1 {
            return None;
        }
        let plain = self
            .clauses
            .iter()
            .find_map(|clause| if let Clause::Term(term) = clause { term.account() } else { None });
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

impl MatchContext<'_> {
    fn takes(&self, query: &Query, transaction: &Transaction) -> bool {
        if transaction.trashed && !query.wants_trashed() {
            return false;
        }
        let is_state = |clause: &&Clause| matches!(clause, Clause::Term(Term::Is(_)));
        let mut states = query.clauses.iter().filter(is_state).peekable();
        let state = states.peek().is_none()
            || states.any(|clause| self.matches(clause, transaction) == Some(true));
        state
            && query
                .clauses
                .iter()
                .filter(|clause| !is_state(clause))
                .all(|clause| self.matches(clause, transaction) == Some(true))
    }

    /// Whether a transaction matches; `None` when a term that cannot be parsed decides (1.1.9).
    fn matches(&self, clause: &Clause, transaction: &Transaction) -> Option<bool> {
        // One operand with the deciding value suffices; otherwise all must be known.
        let joined = |inner: &[Clause], decides: bool| {
            let found: Vec<Option<bool>> =
                inner.iter().map(|clause| self.matches(clause, transaction)).collect();
            if found.contains(&Some(decides)) {
                return Some(decides);
            }
            (!found.contains(&None)).then_some(!decides)
        };
        match clause {
            Clause::Term(Term::Unreadable(_)) => None,
            Clause::Term(term) => Some(self.has(term, transaction)),
            Clause::Not(inner) => self.matches(inner, transaction).map(|found| !found),
            Clause::All(inner) => joined(inner, false),
            Clause::Any(inner) => joined(inner, true),
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
            // 1.2.6: terms outside the caller's visibility match nothing.
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
            Term::Amount(comparison, value) => {
                transaction.amount.is_some_and(|units| compares(units, comparison, *value))
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
            Term::HasComment => self.eyes.comments && transaction.comments > 0,
            Term::Error(wanted) => self.failed.contains(&transaction.label) == *wanted,
            Term::Unreadable(_) => false,
        }
    }

    /// The day that date terms compare.
    fn day_of(&self, transaction: &Transaction) -> Option<Date> {
        if self.by_posting {
            transaction.posted_at.map(|at| dates::day(at, &self.book.settings.zone))
        } else {
            transaction.date
        }
    }
}

/// Whether the transaction has a state (3.1.1).
fn is_in(transaction: &Transaction, state: &str) -> bool {
    let own = match (transaction.trashed, transaction.standing) {
        (true, _) => "trashed",
        (false, Standing::Draft) => "draft",
        (false, Standing::Unchecked) => "unchecked",
        (false, Standing::Checked) => "checked",
    };
    own == state || state == "posted" && transaction.counts()
}

fn compares(units: i128, comparison: &str, value: i128) -> bool {
    match comparison {
        "<" => units < value,
        "<=" => units <= value,
        ">" => units > value,
        ">=" => units >= value,
        _ => units == value,
    }
}
