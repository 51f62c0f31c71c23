//! The meaning of the operators of transaction queries (behaviour 1.2).

use super::filter::{Comparison, DateBasis, Status, Term};
use super::literal::{DateLiteral, DateOperator};
use super::operator::{Operator, is_operator};
use super::unit::Periodicity;
use super::warning::Problem;
use super::{ParseContext, number};
use crate::account::AccountType;
use crate::name::fold;
use crate::property::normalized_key;
use crate::transaction::tags;

/// Prefix that marks the name of a term as a property key.
const PROPERTY: &str = "property.";

/// The meaning of an operator term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decoded {
    /// A condition.
    Term(Term),
    /// `using:postDate`, which changes the meaning of date terms.
    PostingDates,
    /// The term is ignored.
    Ignored(Problem),
    /// The value is invalid, so the term matches nothing, negated or not (behaviour 1.1.9).
    Unreadable(Problem),
}

/// Decodes an operator term.
pub(super) fn decode(operator: Operator<'_>, basis: DateBasis, context: &ParseContext) -> Decoded {
    if let Some(dated) = DateOperator::from_name(operator.name) {
        let literal = DateLiteral::read(&operator.value, context);
        let bounds = literal.and_then(|literal| literal.bounds(dated));
        let term = bounds.map(|days| Term::Dated { basis, from: days.from, until: days.until() });
        return or_unreadable(term, Problem::NotADate);
    }
    let name = operator.name.to_ascii_lowercase();
    if !is_operator(&name) {
        return Decoded::Term(property(operator));
    }
    let value = operator.value.trim();
    let owned = || value.to_owned();
    Decoded::Term(match name.as_str() {
        "account" | "acc" => Term::Account(owned()),
        "from" => Term::From(owned()),
        "to" => Term::To(owned()),
        "group" => Term::Group(owned()),
        "remoteid" => Term::RemoteId(owned()),
        "agent" => Term::Agent(owned()),
        "by" if Periodicity::from_letter(value).is_some() => {
            return Decoded::Ignored(Problem::OnlyForBalances);
        }
        "by" if is_other_period(value) => return Decoded::Ignored(Problem::NotAPeriodicity),
        "by" | "user" | "createdby" => Term::By(owned()),
        _ => return decode_one_of(&name, value, operator.comparison, context),
    })
}

/// Decodes an operator whose values have a fixed format.
fn decode_one_of(
    name: &str,
    value: &str,
    comparison: Option<Comparison>,
    context: &ParseContext,
) -> Decoded {
    let lower = value.to_ascii_lowercase();
    match name {
        "is" => or_unreadable(Status::from_name(&lower).map(Term::Status), Problem::NotAStatus),
        "type" => {
            let kind = AccountType::from_name(&value.to_ascii_uppercase());
            or_unreadable(kind.map(Term::AccountType), Problem::NotAnAccountType)
        }
        "amount" => {
            let comparison = comparison.unwrap_or(Comparison::Eq);
            let number = number::read(value, context.separator);
            let term = number.map(|value| Term::Amount { comparison, value });
            or_unreadable(term, Problem::NotANumber)
        }
        "error" => match lower.as_str() {
            "true" => Decoded::Term(Term::HasError(true)),
            "false" => Decoded::Term(Term::HasError(false)),
            _ => Decoded::Unreadable(Problem::NotABoolean),
        },
        "has" => match lower.as_str() {
            "file" => Decoded::Term(Term::HasFile),
            "url" => Decoded::Term(Term::HasUrl),
            "comment" => Decoded::Term(Term::HasComment),
            _ => Decoded::Unreadable(Problem::NotAnAttachment),
        },
        _ if lower == "postdate" => Decoded::PostingDates,
        _ => Decoded::Unreadable(Problem::NotPostDate),
    }
}

fn or_unreadable(term: Option<Term>, problem: Problem) -> Decoded {
    term.map_or(Decoded::Unreadable(problem), Decoded::Term)
}

/// Creates the term of a word or phrase; `None` when its folded form is empty.
pub(super) fn text(word: &str) -> Option<Term> {
    Some(fold(word)).filter(|folded| !folded.is_empty()).map(Term::Text)
}

/// Returns whether the text after `#` is a valid hashtag (behaviour 3.9.1).
pub(super) fn is_tag(tag: &str) -> bool {
    tags::leading(tag) == tag
}

/// Returns whether the value is a period that series do not have: a week or a quarter.
pub(super) fn is_other_period(value: &str) -> bool {
    value.eq_ignore_ascii_case("w") || value.eq_ignore_ascii_case("q")
}

/// Creates a property term. The key may follow `property.` if it is the name of an operator.
fn property(operator: Operator<'_>) -> Term {
    let is_wildcard = operator.value == "*" && !operator.quoted;
    let prefixed = operator
        .name
        .split_at_checked(PROPERTY.len())
        .filter(|(prefix, key)| prefix.eq_ignore_ascii_case(PROPERTY) && !key.is_empty());
    Term::Property {
        key: normalized_key(prefixed.map_or(operator.name, |(_, key)| key)),
        value: (!is_wildcard).then(|| operator.value.to_lowercase()),
    }
}
