//! Searches: the parsed filter of the domain, evaluated by the model. The domain and the simulation
//! test the parser; this tests the meaning.

use std::collections::BTreeSet;

use daybook_domain::amount;
use daybook_domain::calendar::format_iso;
use daybook_domain::query::{Comparison, DateBasis, Filter, Term};
use daybook_domain::transaction::{Standing, Transaction};

use super::{Oracle, STAMP, day};
use crate::decimal;
use crate::sim::body::Named;
use crate::sim::facts::{self, Stamp};
use crate::sim::label;
use crate::sim::model::dates::{DateOperator, Literal};
use crate::sim::model::query::{self, Clause, Query, Visibility};
use crate::sim::model::text;

impl Oracle {
    /// Adds a transaction of the owner, in order of creation, with the names of its accounts.
    pub fn transaction(&mut self, one: &Transaction, credit: Option<&str>, debit: Option<&str>) {
        let posted = one.posted_at.filter(|_| one.standing != Standing::Draft);
        let transaction = facts::Transaction {
            label: self.next(),
            date: one.date.map(|date| day(&format_iso(date))),
            day: day(&format_iso(one.list_day)),
            amount: one.amount.map(|amount| decimal::units(&amount::write(amount.value(), 0))),
            // Folded once, because folding is idempotent.
            description: text::folded(&one.description),
            tags: text::tags(&one.description),
            credit: credit.map(|name| self.accounts[name]),
            debit: debit.map(|name| self.accounts[name]),
            standing: one.standing,
            trashed: one.trashed,
            posted_at: posted.map(|at| at.milliseconds()),
            properties: one
                .properties
                .iter()
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect(),
            urls: one.urls.clone(),
            remote_ids: one.remote_ids.clone(),
            files: (0..one.files.len()).map(|file| label::File(super::number(file))).collect(),
            comments: one.comment_count,
            creator: 0,
            stamp: Stamp { agent: one.stamp.agent.clone(), ..STAMP },
        };
        self.book.transactions.insert(transaction.label, transaction);
    }

    /// The transactions that a query finds, in the order of behaviour 2.6: their indexes in order
    /// of addition.
    pub fn find(&self, filter: &Filter) -> Vec<usize> {
        let mut by_posting = false;
        filter.each_term(&mut |term| {
            by_posting |= matches!(term, Term::Dated { basis: DateBasis::Posting, .. });
        });
        let query = Query { clauses: vec![self.clause(filter)], by_posting, ignored: None };
        let found =
            self.book.find(&self.users, &BTreeSet::new(), self.today, Visibility::OPEN, &query);
        let index = |one: &facts::Transaction| usize::try_from(one.label.0).expect("an index");
        found.into_iter().map(index).collect()
    }

    fn clause(&self, filter: &Filter) -> Clause {
        let all = |filters: &[Filter]| filters.iter().map(|filter| self.clause(filter)).collect();
        match filter {
            Filter::All(filters) => Clause::All(all(filters)),
            Filter::Any(filters) => Clause::Any(all(filters)),
            Filter::Not(filter) => Clause::Not(Box::new(self.clause(filter))),
            Filter::Term(term) => self.term(term),
        }
    }

    fn term(&self, term: &Term) -> Clause {
        Clause::Term(match term {
            Term::Account(name) => query::Term::Account(self.named_account(name)),
            Term::From(name) => query::Term::From(self.named_account(name)),
            Term::To(name) => query::Term::To(self.named_account(name)),
            Term::Group(name) => query::Term::Group(self.named_group(name)),
            Term::Dated { from, until, .. } => {
                let bound = |operator, date: Option<_>| {
                    let literal = date.map(|date| Literal::Day(day(&format_iso(date))));
                    literal.map(|literal| Clause::Term(query::Term::Date(operator, literal)))
                };
                let bounds =
                    [bound(DateOperator::After, *from), bound(DateOperator::Before, *until)];
                let bounds: Vec<Clause> = bounds.into_iter().flatten().collect();
                assert!(!bounds.is_empty(), "a date term has a bound");
                return Clause::All(bounds);
            }
            Term::Amount { comparison, value } => {
                let sign = match comparison {
                    Comparison::Eq => "=",
                    Comparison::Lt => "<",
                    Comparison::Le => "<=",
                    Comparison::Gt => ">",
                    Comparison::Ge => ">=",
                };
                query::Term::Amount(sign, decimal::units(&value.to_string()))
            }
            Term::Status(status) => query::Term::Is(status.as_str()),
            Term::Tag(tag) => query::Term::Tag(tag.clone()),
            Term::RemoteId(id) => query::Term::RemoteId(id.clone()),
            Term::Property { key, value } => query::Term::Property(key.clone(), value.clone()),
            Term::Text(text) => query::Term::Text(text.clone()),
            Term::By(name) => {
                let is = |user: &crate::sim::model::User| {
                    [&user.email, &user.username].contains(&&name.to_lowercase())
                };
                let who = self.users.iter().position(is);
                query::Term::By(who.unwrap_or(self.users.len()))
            }
            Term::Agent(agent) => query::Term::Agent(agent.clone()),
            Term::AccountType(kind) => query::Term::Kind(*kind),
            Term::HasFile => query::Term::HasFile,
            Term::HasUrl => query::Term::HasUrl,
            Term::HasComment => query::Term::HasComment,
            // The book has no responses of apps.
            Term::HasError(expected) => query::Term::Error(*expected),
        })
    }

    /// Resolved once per query instead of once per transaction.
    fn named_account(&self, name: &str) -> Named<label::Account> {
        let found = self.book.find_account(&Named::name(name));
        found.map_or_else(Named::unknown, |account| Named::id(account.label))
    }

    fn named_group(&self, name: &str) -> Named<label::Group> {
        let found = self.book.find_group(&Named::name(name));
        found.map_or_else(Named::unknown, |group| Named::id(group.label))
    }
}
