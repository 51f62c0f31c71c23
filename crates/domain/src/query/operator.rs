//! Operator terms, and text that resembles them.

use super::filter::Comparison;
use super::literal::DateOperator;

/// An operator term with a value that is not blank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Operator<'a> {
    /// The name in its original case.
    pub(super) name: &'a str,
    /// The comparison of an amount term.
    pub(super) comparison: Option<Comparison>,
    /// The value without quotes and escapes.
    pub(super) value: String,
    /// Whether the value was quoted.
    pub(super) quoted: bool,
}

impl Operator<'_> {
    /// Returns whether it contains a NUL, which stored texts never contain (behaviour 0.23).
    pub(super) fn has_nul(&self) -> bool {
        self.name.contains('\0') || self.value.contains('\0')
    }
}

/// Returns whether this is the amount operator, the only one with comparisons.
pub(super) fn is_amount(name: &str) -> bool {
    name.eq_ignore_ascii_case("amount")
}

/// Returns whether this lower-case name is an operator other than a date operator. All other names,
/// including `posted`, are properties (behaviour 1.2).
pub(super) fn is_operator(name: &str) -> bool {
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

/// Returns whether a text word resembles an operator, as in `date>2013` or `amount > 5`. `rest` is
/// the text after the word.
///
/// Times and web addresses do not (behaviour 1.1.11).
pub(super) fn looks_like_operator(word: &str, rest: &str) -> bool {
    let is_sign = |c: char| matches!(c, ':' | '=' | '<' | '>');
    if let Some((name, sign)) = word.find(is_sign).and_then(|index| word.split_at_checked(index)) {
        let is_name = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
            && name.chars().any(char::is_alphabetic);
        return is_name && !sign.starts_with("://");
    }
    rest.trim_start().starts_with(is_sign)
        && (DateOperator::from_name(word).is_some() || is_operator(&word.to_ascii_lowercase()))
}
