//! Tests of the query language (behaviour 1, 2.8, 5.8, 5.9).

mod balances;
mod count_plans;
mod examples;
mod lexical;
mod ranges;
mod robustness;
mod terms;
mod warnings;

use super::{BalanceQuery, Comparison, DateBasis, Filter, ParseContext, Query, Term};
use crate::amount::DecimalSeparator;
use crate::calendar::{DatePattern, format_iso, parse_iso};
use crate::fixture::query_context as context;

fn with_pattern(pattern: DatePattern) -> ParseContext {
    ParseContext { pattern, ..context() }
}

fn query(text: &str) -> Query {
    Query::parse(text, &context())
}

fn balance(text: &str) -> BalanceQuery {
    BalanceQuery::parse(text, &context()).unwrap()
}

/// Checks the formatted filter of a query without the exclusion of trashed transactions.
#[track_caller]
fn check(text: &str, expected: &str) {
    let shown = show(query(text).filter());
    let filter = shown
        .strip_suffix("!is:trashed")
        .unwrap_or_else(|| panic!("{text}: {shown} does not exclude trashed ones"));
    assert_eq!(filter.trim_end(), expected, "{text}");
}

/// Checks the whole formatted filter of a query.
#[track_caller]
fn check_whole(text: &str, expected: &str) {
    assert_eq!(show(query(text).filter()), expected, "{text}");
}

/// Formats a filter: `a b` is a conjunction, `(a | b)` a disjunction, `!a` a complement.
fn show(filter: &Filter) -> String {
    match filter {
        Filter::All(filters) => filters.iter().map(show_inner).collect::<Vec<_>>().join(" "),
        Filter::Any(_) | Filter::Not(_) | Filter::Term(_) => show_inner(filter),
    }
}

fn show_inner(filter: &Filter) -> String {
    match filter {
        Filter::All(_) => format!("({})", show(filter)),
        Filter::Any(filters) if filters.is_empty() => "nothing".to_owned(),
        Filter::Any(filters) => {
            format!("({})", filters.iter().map(show_inner).collect::<Vec<_>>().join(" | "))
        }
        Filter::Not(filter) => format!("!{}", show_inner(filter)),
        Filter::Term(term) => show_term(term),
    }
}

fn show_term(term: &Term) -> String {
    match term {
        Term::Account(name) => format!("account:{name}"),
        Term::From(name) => format!("from:{name}"),
        Term::To(name) => format!("to:{name}"),
        Term::Group(name) => format!("group:{name}"),
        Term::Dated { basis, from, until } => {
            let basis = if *basis == DateBasis::Posting { "posted" } else { "" };
            format!(
                "{basis}[{},{})",
                from.map(format_iso).unwrap_or_default(),
                until.map(format_iso).unwrap_or_default()
            )
        }
        Term::Amount { comparison, value } => {
            let sign = match comparison {
                Comparison::Eq => "=",
                Comparison::Lt => "<",
                Comparison::Le => "<=",
                Comparison::Gt => ">",
                Comparison::Ge => ">=",
            };
            format!("amount{sign}{value}")
        }
        Term::Status(status) => format!("is:{}", status.as_str()),
        Term::Tag(tag) => format!("#{tag}"),
        Term::RemoteId(id) => format!("remote:{id}"),
        Term::HasError(error) => format!("error:{error}"),
        Term::Property { key, value } => format!("{{{key}={}}}", value.as_deref().unwrap_or("*")),
        Term::Text(text) => format!("'{text}'"),
        Term::By(user) => format!("by:{user}"),
        Term::Agent(agent) => format!("agent:{agent}"),
        Term::AccountType(kind) => format!("type:{}", format!("{kind:?}").to_uppercase()),
        Term::HasFile => "has:file".to_owned(),
        Term::HasUrl => "has:url".to_owned(),
        Term::HasComment => "has:comment".to_owned(),
    }
}
