//! listTransactions, over all pages.

use std::sync::Arc;

use daybook_service::transaction::{self, Request};

use super::{DynOperation, Operation, fewer};
use crate::sim::draw::{AGENTS, Draw, KINDS, PROPERTIES, TAGS, WORDS};
use crate::sim::facts::{Answer, Outcome};
use crate::sim::label;
use crate::sim::model::query::{Clause, Flaw, Query, Term};
use crate::sim::model::{Caller, Model};
use crate::sim::service::{Service, warning_texts};

#[derive(Clone, Debug)]
struct List {
    book: label::Book,
    query: Query,
    limit: usize,
}

const STATES: [&str; 5] = ["draft", "unchecked", "checked", "posted", "trashed"];

pub fn draw(draw: &mut Draw<'_>) -> DynOperation {
    let limit = draw.pick(&[0, 1, 3, 10, 100, 1000, 5000]);
    Arc::new(List { book: draw.book, query: query(draw), limit })
}

/// Terms that cannot be parsed (1.1.9).
pub const UNREADABLE: [Flaw; 6] = [
    Flaw::new("on:2025-02-30", "not a date"),
    Flaw::new("before:soon", "not a date"),
    Flaw::new("is:lost", "not a status"),
    Flaw::new("amount>many", "not a number"),
    Flaw::new("type:WEALTH", "not an account type"),
    Flaw::new("has:luck", "neither file nor url"),
];

/// Terms that lists ignore (1.1.13).
const IGNORED: [Flaw; 4] = [
    Flaw::new("by:m", "ignored, only balances have a periodicity"),
    Flaw::new("by:q", "ignored, not a periodicity"),
    Flaw::new("after:", "ignored, nothing to look for"),
    Flaw::new("''", "ignored, nothing to look for"),
];

pub fn query(draw: &mut Draw<'_>) -> Query {
    let mut clauses: Vec<Clause> = (0..draw.below(4)).map(|_| clause(draw)).collect();
    // Several of them are alternatives, but only at the top level.
    for _ in 0..draw.below(3) {
        clauses.push(Clause::Term(Term::Is(draw.pick(&STATES))));
    }
    let ignored = if draw.one_in(10) { vec![draw.pick(&IGNORED)] } else { Vec::new() };
    Query { clauses, by_posting: draw.one_in(8), ignored }
}

fn clause(draw: &mut Draw<'_>) -> Clause {
    match draw.below(8) {
        0 => Clause::Not(Box::new(Clause::Term(term(draw)))),
        1 => Clause::Any((0..2 + draw.below(2)).map(|_| Clause::Term(term(draw))).collect()),
        2 => Clause::Not(Box::new(Clause::Any((0..2).map(|_| Clause::Term(term(draw))).collect()))),
        _ => Clause::Term(plain(draw)),
    }
}

/// Inside NOT and OR a state is an ordinary term.
fn term(draw: &mut Draw<'_>) -> Term {
    if draw.one_in(5) { Term::Is(draw.pick(&STATES)) } else { plain(draw) }
}

fn plain(draw: &mut Draw<'_>) -> Term {
    let text = |text: &str| text.to_owned();
    if draw.one_in(20) {
        return Term::Unreadable(draw.pick(&UNREADABLE));
    }
    match draw.below(16) {
        0 | 1 => Term::Account(named(draw)),
        2 => Term::From(named(draw)),
        3 => Term::To(named(draw)),
        4 => Term::Group(draw.group_named()),
        5 | 6 => {
            let (operator, literal) = draw.date_term();
            Term::Date(operator, literal)
        }
        7 => Term::Amount(
            draw.pick(&["=", ":", "<", "<=", ">", ">="]),
            text(draw.pick(&["1", "12.5", "100", "0.01", "1234.57"])),
        ),
        8 => Term::Tag(text(draw.pick(&TAGS))),
        9 => Term::RemoteId(draw.remote_id()),
        10 => {
            let value = if draw.one_in(3) {
                None
            } else {
                Some(text(draw.pick(&["v", "V", "v 2", "other"])))
            };
            // A property key is one word before the colon.
            Term::Property(draw.pick(&PROPERTIES).replace(' ', "_"), value)
        }
        11 => Term::Text(text(draw.pick(&WORDS))),
        12 => Term::By(draw.below(draw.model.users.len() + 1)),
        13 => Term::Agent(text(draw.pick(&AGENTS))),
        14 => Term::Error(!draw.one_in(3)),
        _ if draw.one_in(2) => Term::Kind(draw.pick(&KINDS)),
        _ => Term::HasUrl,
    }
}

/// A query term needs a name.
fn named(draw: &mut Draw<'_>) -> crate::sim::body::Named<label::Account> {
    let mut named = draw.account_named();
    if named.id.is_some() {
        named.name = None;
    }
    let blank = named.name.as_deref().is_none_or(|name| name.trim().is_empty());
    if named.id.is_none() && blank { crate::sim::body::Named::unknown() } else { named }
}

impl Operation for List {
    fn book(&self) -> label::Book {
        self.book
    }

    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let mut request = Request {
            query: service.query_text(&self.query).into(),
            limit: Some(self.limit),
            after: None,
            asked_at: None,
        };
        let (mut pages, mut account) = (Vec::new(), None);
        let mut warnings = None;
        loop {
            let page = service.read(self.book, caller, |tx, cx, book| {
                transaction::list(tx, cx, book, &request)
            })?;
            pages.push(service.rows(&page));
            // Every page has the same warnings.
            let texts = warning_texts(&page.warnings);
            if *warnings.get_or_insert_with(|| texts.clone()) != texts {
                warnings = Some(vec!["the pages differ".to_owned()]);
            }
            account = account.or(page.account.map(|id| service.labels.accounts.label(id.get())));
            request.after = page.next;
            if request.after.is_none() {
                return Ok(Answer::Pages(pages, account, warnings.unwrap_or_default()));
            }
        }
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        let (pages, account) =
            model.list_transactions(self.book, caller, &self.query, self.limit)?;
        Ok(Answer::Pages(pages, account, self.query.warnings()))
    }

    fn smaller(&self) -> Vec<DynOperation> {
        let with = |query| Arc::new(List { query, ..self.clone() }) as DynOperation;
        smaller(&self.query).into_iter().map(with).collect()
    }
}

/// Variants of a query, each without one term.
pub fn smaller(query: &Query) -> Vec<Query> {
    let mut lists = fewer(&query.clauses);
    if query.clauses.len() == 1 {
        lists.push(Vec::new());
    }
    lists.into_iter().map(|clauses| Query { clauses, ..query.clone() }).collect()
}
