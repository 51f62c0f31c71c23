//! The meaning of the operators of transaction queries (behaviour 1.2).

use super::filter::{Comparison, DateBasis, Filter, Status, Term};
use super::literal::{DateLiteral, DateOperator};
use super::operator::Operator;
use super::unit::Periodicity;
use super::{ParseContext, number};
use crate::account::AccountType;
use crate::name::fold;
use crate::property::normalized_key;

/// The term that an operator and its value mean; `None` for a value that cannot be read (behaviour
/// 1.1.9).
pub(super) fn decode(
    operator: Operator<'_>,
    basis: DateBasis,
    reading: &ParseContext,
) -> Option<Term> {
    if let Some(dated) = DateOperator::from_name(operator.name) {
        let bounds = DateLiteral::read(&operator.value, reading)?.bounds(dated)?;
        return Some(Term::Dated { basis, from: bounds.from, until: bounds.until() });
    }
    let name = operator.name.to_ascii_lowercase();
    if !is_operator(&name) {
        return Some(property(operator));
    }
    let value = operator.value.trim();
    match name.as_str() {
        "account" | "acc" => Some(Term::Account(value.to_owned())),
        "from" => Some(Term::From(value.to_owned())),
        "to" => Some(Term::To(value.to_owned())),
        "group" => Some(Term::Group(value.to_owned())),
        "remoteid" => Some(Term::RemoteId(value.to_owned())),
        "agent" => Some(Term::Agent(value.to_owned())),
        "user" | "createdby" => Some(Term::By(value.to_owned())),
        "by" => (!is_period(value)).then(|| Term::By(value.to_owned())),
        "is" => Status::from_name(value).map(Term::Status),
        "type" => AccountType::from_name(&value.to_ascii_uppercase()).map(Term::AccountType),
        "amount" => {
            let comparison = operator.comparison.unwrap_or(Comparison::Eq);
            number::read(value, reading.separator).map(|value| Term::Amount { comparison, value })
        }
        "error" => match value.to_ascii_lowercase().as_str() {
            "true" => Some(Term::HasError(true)),
            "false" => Some(Term::HasError(false)),
            _ => None,
        },
        "has" => match value.to_ascii_lowercase().as_str() {
            "file" => Some(Term::HasFile),
            "url" => Some(Term::HasUrl),
            _ => None,
        },
        // `using:` sets how others are read and filters nothing itself.
        _ => None,
    }
}

/// The names of operators other than those of dates; all other names, `posted` included, are
/// properties (behaviour 1.2).
fn is_operator(name: &str) -> bool {
    matches!(
        name,
        "account"
            | "acc"
            | "group"
            | "from"
            | "to"
            | "by"
            | "user"
            | "createdby"
            | "agent"
            | "using"
            | "is"
            | "amount"
            | "remoteid"
            | "error"
            | "type"
            | "has"
    )
}

/// Whether an operator asks for posting dates.
pub(super) fn is_using_post_date(operator: &Operator<'_>) -> bool {
    operator.name.eq_ignore_ascii_case("using")
        && operator.value.trim().eq_ignore_ascii_case("postDate")
}

/// The term of a word or phrase; `None` when nothing of it remains after folding.
pub(super) fn text(word: &str) -> Option<Term> {
    Some(fold(word)).filter(|folded| !folded.is_empty()).map(Term::Text)
}

/// The term of a hashtag. What no hashtag can be (`#a-b`, behaviour 3.9.1) is searched for as text.
pub(super) fn hashtag(tag: &str) -> Option<Term> {
    if is_tag(tag) { Some(Term::Tag(tag.to_lowercase())) } else { text(&format!("#{tag}")) }
}

/// A term as a filter.
pub(super) fn filter(term: Option<Term>) -> Option<Filter> {
    term.map(Filter::Term)
}

fn is_tag(tag: &str) -> bool {
    tag.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn is_period(value: &str) -> bool {
    Periodicity::from_letter(value).is_some() || value.eq_ignore_ascii_case("w")
}

fn property(operator: Operator<'_>) -> Term {
    let present = operator.value == "*" && !operator.quoted;
    Term::Property {
        key: normalized_key(operator.name),
        value: (!present).then(|| operator.value.to_lowercase()),
    }
}
