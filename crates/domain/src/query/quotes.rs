//! Detection of the closing quote of a value (behaviour 1.1.5).
//!
//! Names with an apostrophe are often quoted without an escape, as in `account:'Owner's Equity'`.

/// Returns whether a quote between `before` and `rest` is an apostrophe of the value instead of its
/// end.
///
/// It must be in a word or after one, and another quote must close the value. `begins_term` says
/// whether a text begins with an operator or a keyword.
pub(super) fn belongs_to_value(
    before: Option<char>,
    rest: &str,
    quote: char,
    begins_term: impl FnOnce(&str) -> bool,
) -> bool {
    if !before.is_some_and(char::is_alphanumeric) {
        return false;
    }
    let Some((inside, after)) = rest.split_once(quote) else { return false };
    let last = inside.chars().next_back();
    if last.is_none_or(may_precede_value) {
        return false;
    }
    let closes = after.is_empty() || after.starts_with(ends_word);
    if rest.starts_with(char::is_alphanumeric) {
        let is_apostrophe =
            last.is_some_and(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric);
        return !begins_term(inside) && (closes || (is_apostrophe && !inside.contains(':')));
    }
    // After a word: `'Owners' Equity'`, but not `'Owners' OR 'Equity'`.
    let is_name = !inside.contains([':', '#', '=', '<', '>', '(', ')'])
        && inside.split_whitespace().all(|word| !matches!(word, "AND" | "OR" | "NOT"));
    rest.starts_with(char::is_whitespace) && closes && is_name
}

/// Returns whether the text directly after a closing quote suggests that another quote closes the
/// value.
pub(super) fn is_unclear(rest: &str, quote: char, begins_term: impl FnOnce(&str) -> bool) -> bool {
    rest.starts_with(quote) || (rest.starts_with(char::is_alphanumeric) && !begins_term(rest))
}

/// Returns whether the character ends a word.
pub(super) fn ends_word(c: char) -> bool {
    c.is_whitespace() || c == ')'
}

/// Returns whether a quote after the character opens a value.
fn may_precede_value(c: char) -> bool {
    c.is_whitespace() || matches!(c, ':' | '(' | '-' | '=' | '<' | '>')
}
