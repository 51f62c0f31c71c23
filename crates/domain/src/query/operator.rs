//! Operator terms, and which token may be the value of one (behaviour 1.1.6).

use super::filter::{Comparison, Status};
use super::literal::{DateLiteral, DateOperator};
use super::{ParseContext, number};

/// An operator term as written, with a value that is not blank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Operator<'a> {
    /// The name in its original case.
    pub(super) name: &'a str,
    /// The comparison of an amount term.
    pub(super) comparison: Option<Comparison>,
    /// The value without quotes and escapes.
    pub(super) value: String,
    /// Whether the value stood in quotes.
    pub(super) quoted: bool,
}

/// Whether it is the amount operator, the only one with comparisons.
pub(super) fn is_amount(name: &str) -> bool {
    name.eq_ignore_ascii_case("amount")
}

/// Whether a token after white space is the value of the operator before it (behaviour 1.1.6). For
/// operators whose values have a form it must have that form; for others it must not be a term of
/// its own.
pub(super) fn is_plausible(
    name: &str,
    value: &str,
    own_term: bool,
    reading: &ParseContext,
) -> bool {
    if let Some(operator) = DateOperator::from_name(name) {
        return DateLiteral::read(value, reading)
            .is_some_and(|literal| literal.bounds(operator).is_some());
    }
    if name.eq_ignore_ascii_case("is") {
        return Status::from_name(value.trim()).is_some();
    }
    if is_amount(name) {
        return number::read(value.trim(), reading.separator).is_some();
    }
    !own_term
}
