//! Operator terms, and the text that looks like one.

use super::filter::Comparison;
use super::literal::DateOperator;

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

impl Operator<'_> {
    /// Whether it holds a NUL, which no stored text does (behaviour 0.23).
    pub(super) fn has_nul(&self) -> bool {
        self.name.contains('\0') || self.value.contains('\0')
    }
}

/// Whether it is the amount operator, the only one with comparisons.
pub(super) fn is_amount(name: &str) -> bool {
    name.eq_ignore_ascii_case("amount")
}

/// Whether this is the name of an operator, in lower case, that does not limit days; all other
/// names, `posted` included, are properties (behaviour 1.2).
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

/// Whether a text word looks like an operator that it is not: a name and a sign in one word, as in
/// `date>2013`, or an operator before a sign of its own, as in `amount > 5`. Times and web
/// addresses do not (behaviour 1.1.11).
pub(super) fn looks_like_operator(word: &str, behind: &str) -> bool {
    let is_sign = |c: char| matches!(c, ':' | '=' | '<' | '>');
    if let Some((name, sign)) = word.find(is_sign).and_then(|at| word.split_at_checked(at)) {
        let named = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
            && name.chars().any(char::is_alphabetic);
        return named && !sign.starts_with("://");
    }
    let behind = behind.trim_start();
    behind.starts_with(is_sign)
        && (DateOperator::from_name(word).is_some() || is_operator(&word.to_ascii_lowercase()))
}
