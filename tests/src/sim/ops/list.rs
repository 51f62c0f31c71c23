//! listTransactions, over all pages.

use std::sync::Arc;

use super::{DynOperation, Operation, fewer, variants};
use crate::decimal;
use crate::sim::draw::{AGENTS, Draw, KINDS, PROPERTIES, TAGS, WORDS};
use crate::sim::facts::{Outcome, Row, answer};
use crate::sim::label;
use crate::sim::model::query::{Clause, Query, Term};
use crate::sim::model::{Caller, Model};
use crate::sim::service::Service;

#[derive(Clone, Debug)]
struct List {
    query: Query,
    limit: usize,
}

const STATES: [&str; 5] = ["draft", "unchecked", "checked", "posted", "trashed"];

pub fn draw(draw: &mut Draw<'_>) -> DynOperation {
    let limit = draw.pick(&[0, 1, 3, 10, 100, 1000, 5000]);
    Arc::new(List { query: query(draw), limit })
}

/// Terms that cannot be parsed (1.1.9).
pub const UNREADABLE: [&str; 6] =
    ["on:2025-02-30", "before:soon", "is:lost", "amount>many", "type:WEALTH", "has:luck"];

/// Terms that lists ignore (1.1.13).
const IGNORED: [&str; 4] = ["by:m", "by:q", "after:", "''"];

pub fn query(draw: &mut Draw<'_>) -> Query {
    let mut clauses: Vec<Clause> = (0..draw.below(4)).map(|_| clause(draw)).collect();
    // Several of them are alternatives, but only at the top level.
    for _ in 0..draw.below(3) {
        clauses.push(Clause::Term(Term::Is(draw.pick(&STATES))));
    }
    let ignored = if draw.one_in(10) { Some(draw.pick(&IGNORED)) } else { None };
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
    match draw.below(17) {
        0 | 1 => Term::Account(draw.account_named().single()),
        2 => Term::From(draw.account_named().single()),
        3 => Term::To(draw.account_named().single()),
        4 => Term::Group(draw.group_named()),
        5 | 6 => {
            let (operator, literal) = draw.date_term();
            Term::Date(operator, literal)
        }
        7 => Term::Amount(
            draw.pick(&["=", ":", "<", "<=", ">", ">="]),
            decimal::units(draw.pick(&["1", "12.5", "100", "0.01", "1234.57"])),
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
        15 => Term::HasComment,
        _ if draw.one_in(2) => Term::Kind(draw.pick(&KINDS)),
        _ => Term::HasUrl,
    }
}

impl Operation for List {
    fn run(&self, service: &mut Service, caller: &Caller) -> Outcome {
        let text = service.query_text(&self.query);
        let pages = service.list_transactions(caller, &text, self.limit)?;
        let account = pages.iter().find_map(|page| page.account);
        let account = account.map(|id| service.labels.label::<label::Account>(id.get()));
        let rows: Vec<Row> = pages.iter().flat_map(|page| service.rows(page)).collect();
        answer((rows, account))
    }

    fn run_model(&self, model: &mut Model, caller: &Caller) -> Outcome {
        answer(model.list_transactions(caller, &self.query)?)
    }

    fn smaller(&self) -> Vec<DynOperation> {
        let queries = smaller(&self.query).into_iter();
        variants(queries.map(|query| List { query, ..self.clone() }))
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
