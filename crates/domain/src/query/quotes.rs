//! Which quote ends a quoted value (behaviour 1.1.5): names with an apostrophe are often put into
//! quotes as they are, as in `account:'Owner's Equity'`.

use super::lexer::{ends_word, split_keyword, split_operator};
use super::literal::DateOperator;
use super::operator::is_operator;

/// Whether a quote inside a value, behind `before`, belongs to it and does not close it: it is the
/// apostrophe in a word, or behind one, and another quote closes the value.
pub(super) fn belongs_to_value(before: Option<char>, behind: &str, quote: char) -> bool {
    if !before.is_some_and(char::is_alphanumeric) {
        return false;
    }
    let Some((inside, after)) = behind.split_once(quote) else { return false };
    let last = inside.chars().next_back();
    if last.is_none_or(opens) {
        return false;
    }
    let closes = after.is_empty() || after.starts_with(ends_word);
    if behind.starts_with(char::is_alphanumeric) {
        let is_apostrophe =
            last.is_some_and(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric);
        return !begins_term(inside) && (closes || (is_apostrophe && !inside.contains(':')));
    }
    // Behind a word: `'Owners' Equity'`, but not `'Owners' OR 'Equity'`.
    let is_name = !inside.contains([':', '#', '=', '<', '>', '(', ')'])
        && inside.split_whitespace().all(|word| !matches!(word, "AND" | "OR" | "NOT"));
    behind.starts_with(char::is_whitespace) && closes && is_name
}

/// Whether the text directly behind a closing quote makes it doubtful that this one closes.
pub(super) fn is_unclear(behind: &str, quote: char) -> bool {
    behind.starts_with(quote) || (behind.starts_with(char::is_alphanumeric) && !begins_term(behind))
}

/// Whether a keyword or the term of an operator begins here, which may follow a quoted value
/// without white space. Properties do not count: `'Owner's: cash'` has none.
fn begins_term(text: &str) -> bool {
    let is_known = |name: &str| {
        DateOperator::from_name(name).is_some() || is_operator(&name.to_ascii_lowercase())
    };
    split_operator(text).is_some_and(|(name, _)| is_known(name)) || split_keyword(text).is_some()
}

/// Whether a quote behind the character opens a value.
fn opens(c: char) -> bool {
    c.is_whitespace() || matches!(c, ':' | '(' | '-' | '=' | '<' | '>')
}
