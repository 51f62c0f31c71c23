//! Which quote ends a quoted value (behaviour 1.1.5): names with an apostrophe are often put into
//! quotes as they are, as in `account:'Owner's Equity'`.

/// Whether a quote inside a value, behind `before`, belongs to it and does not close it: it is the
/// apostrophe in a word, or behind one, and another quote closes the value.
///
/// `begins_term` says whether an operator or a keyword begins a text.
pub(super) fn belongs_to_value(
    before: Option<char>,
    behind: &str,
    quote: char,
    begins_term: impl FnOnce(&str) -> bool,
) -> bool {
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
pub(super) fn is_unclear(
    behind: &str,
    quote: char,
    begins_term: impl FnOnce(&str) -> bool,
) -> bool {
    behind.starts_with(quote) || (behind.starts_with(char::is_alphanumeric) && !begins_term(behind))
}

/// Whether the character ends a word.
pub(super) fn ends_word(c: char) -> bool {
    c.is_whitespace() || c == ')'
}

/// Whether a quote behind the character opens a value.
fn opens(c: char) -> bool {
    c.is_whitespace() || matches!(c, ':' | '(' | '-' | '=' | '<' | '>')
}
